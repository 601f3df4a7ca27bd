import { describe, expect, it } from 'vitest'

import { pathIn, shelvesOf, type Line, type Pack } from './asking'

const line = (id: string, more: Partial<Line> = {}): Line => ({ id, text: id, why: '', stale: false, unconfirmed: false, drift: '', repeats: false, ...more })
const EMPTY: Pack = { constraints: [], deadEnds: [], teamDecisions: [], facts: [], learnings: [], patterns: [], tokens: 0, dropped: 0, prompt: '', leftOut: [] }

describe('a path in what was typed', () => {
  it.each([
    ['src/shop/db.py', 'src/shop/db.py'],
    ['add caching to `src/cache/` please', 'src/cache/'],
    ['fix main.go', 'main.go'],
    ['raise the limit of the proxy.', ''],
    ['either/or is no file? it may be', 'either/or'],
    ['/etc/passwd', ''],
    ['', ''],
  ])('%s', (words, path) => {
    expect(pathIn(words)).toBe(path)
  })
})

describe('the shelves of a pack', () => {
  it('come in the order in which an agent reads them, without what repeats', () => {
    const pack = { ...EMPTY, facts: [line('DEC-1'), line('DEC-1', { repeats: true })], constraints: [line('INV-1')], patterns: [line('PAT-1', { repeats: true })] }

    expect(shelvesOf(pack).map(({ title, lines }) => [title, lines.length])).toEqual([['Constraints', 1], ['Facts', 1]])
  })
})
