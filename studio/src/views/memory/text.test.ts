import { render, screen } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'

import { clipped } from './clip'
import Evidence from './Evidence.svelte'
import MemoryText from './MemoryText.svelte'
import type { Memory, Quoted } from './shapes'

const HOSTILE = '<img src=x onerror="boom()">\u001b[31mred\u202egnp'

function memory(more: Partial<Memory>): Memory {
  const empty = { title: '', body: '', question: '', choice: '', fact: '', errorType: '', errorMessage: '', rootCause: '', context: '', category: '', because: '' }
  return { ...empty, attempts: null, rejected: [], paths: [], tags: [], ...more } as unknown as Memory
}

describe('a memory’s text', () => {
  it('shows what was captured as text, and says twice what the file says twice', () => {
    const { container } = render(MemoryText, {
      memory: memory({ body: HOSTILE, choice: HOSTILE, tags: ['a', 'a'], paths: ['src/**', 'src/**'], rejected: [{ option: HOSTILE, reason: HOSTILE }] }),
    })

    expect(container.querySelector('img')).toBeNull()
    expect(container.textContent).toContain('<img src=x onerror="boom()">red⟦U+202E⟧gnp')
    expect(screen.getAllByText('#a')).toHaveLength(2)
  })

  it('does not repeat the title as body or fact', () => {
    const { container } = render(MemoryText, { memory: memory({ title: 'Tests need UTC', body: 'Tests need UTC.', fact: 'Tests need UTC.' }) })

    expect(container.textContent?.trim()).toBe('')
  })
})

describe('evidence', () => {
  it('marks the quote in its turn and leads to the conversation', () => {
    const turn = { id: 'T1', kind: 'prompt', ts: '', parent: '', agent: '', text: 'So: use UTC. Thanks', tool: '', call: '', input: {}, output: '', failed: false, model: '', foreign: false, extra: {} }
    const one = { event: 'T1', quote: 'use UTC.', session: 's/1', client: 'codex', turns: [turn], at: 'T1', missing: '' } as unknown as Quoted

    const { container } = render(Evidence, { evidence: [one] })

    expect(container.querySelector('mark')?.textContent).toContain('use UTC.')
    expect(screen.getByRole('link').getAttribute('href')).toMatch(/\/history\/s%2F1\?turn=T1$/)
  })

  it('says why there is none', () => {
    const one = { event: 'X', quote: 'words', session: '', client: '', turns: [], at: '', missing: 'its event is not in this journal' } as Quoted

    render(Evidence, { evidence: [one] })

    expect(screen.getByText(/its event is not in this journal/)).toBeDefined()
  })
})

describe('a long turn', () => {
  it('is cut around the quote, and says how much is left out', () => {
    const text = `${'a '.repeat(2000)}THE WORDS${' b'.repeat(2000)}`
    const { pieces, left } = clipped(text, 'THE WORDS')

    expect(pieces.find((piece) => piece.marked)?.text).toBe('THE WORDS')
    expect(pieces.map((piece) => piece.text).join('').length).toBeLessThan(600)
    expect(left).toBe(text.length - pieces.map((piece) => piece.text.replace(/^…|…$/gu, '')).join('').length)
    expect(clipped(text, 'THE WORDS', true).left).toBe(0)
  })
})
