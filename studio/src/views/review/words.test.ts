import { describe, expect, it } from 'vitest'

import { clashIn, clashing, holds, marked } from './words'

const shown = (pieces: { text: string; marked: boolean }[]) => pieces.map((piece) => (piece.marked ? `[${piece.text}]` : piece.text)).join('')

describe('the quoted words', () => {
  it('are marked where they stand', () => {
    expect(shown(marked('We said: use SQLite. Fine.', 'use SQLite.'))).toBe('We said: [use SQLite.] Fine.')
  })

  it('are found over other line breaks and cut ends', () => {
    expect(shown(marked('a\n  use\n\tSQLite now', '…use SQLite…'))).toBe('a\n  [use\n\tSQLite] now')
  })

  it('are no pattern: brackets and stars are only characters', () => {
    expect(shown(marked('run (a+)+$ now', '(a+)+$'))).toBe('run [(a+)+$] now')
    expect(holds('aaaa', '.*')).toBe(false)
  })

  it('that are not there leave the text whole', () => {
    expect(shown(marked('some text', 'other'))).toBe('some text')
    expect(marked('', 'x')).toEqual([])
    expect(shown(marked('text', ''))).toBe('text')
  })
})

describe('clashing words', () => {
  it('are those that the other text does not have', () => {
    expect(shown(clashing('Use Postgres for sessions', 'use SQLite for session'))).toBe('Use [Postgres] for sessions')
  })

  it('are marked in the sentence that clashes only', () => {
    const text = 'Indent with tabs. Reason: editors agree.'

    expect(shown(clashIn(text, 'Indent with tabs.', 'Indent with spaces'))).toBe('Indent with [tabs]. Reason: editors agree.')
  })

  it('join into one mark side by side and keep every character', () => {
    const text = 'Never log  card numbers!'

    expect(clashing(text, 'log').map((piece) => piece.text).join('')).toBe(text)
  })
})
