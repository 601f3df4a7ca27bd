import { describe, expect, it } from 'vitest'

import { isSaid, moved, outcomeOf, placesOf, whatFor, whyNot, withMark, type Mark, type Told, type ToldMemory } from './told'

function memory(id: string, more: Partial<ToldMemory> = {}): ToldMemory {
  return {
    id, now: id, title: `About ${id}`, type: 'decision', status: 'accepted', why: '', tokens: 4, cameOfIt: '', marked: '',
    wrong: false, always: false, irrelevant: 0, ...more,
  }
}

function told(...tellings: ToldMemory[][]): Told {
  const rows = tellings.map((memories) => ({
    ts: '2026-11-15T10:00:00Z', at: 'prompt', tokens: 9, cause: '', text: '', prompt: '', agent: '', withheld: false, memories,
  }))
  return { session: 's', client: 'claude-code', tokens: 9, tellings: rows }
}

const said = (id: string, more: Partial<Mark> = {}): Mark => ({ mark: '01K', id, marked: '', wrong: false, always: false, irrelevant: 0, ...more })

describe('the places of what was told', () => {
  const places = placesOf(told([memory('A'), memory('B')], [], [memory('A'), memory('A')]))

  it('are every memory of every telling, each once', () => {
    expect(places.map((place) => place.key)).toEqual(['0 A', '0 B', '2 A'])
  })

  it('are gone through from one end to the other and no further', () => {
    expect(moved(places, '', 1)?.key).toBe('0 A')
    expect(moved(places, '', -1)?.key).toBe('2 A')
    expect(moved(places, '0 B', 1)?.key).toBe('2 A')
    expect(moved(places, '2 A', 1)?.key).toBe('2 A')
    expect(moved(places, '0 A', -1)?.key).toBe('0 A')
    expect(moved([], '', 1)).toBeUndefined()
  })
})

describe('a word', () => {
  it('holds wherever the memory was told, also under the id it had while it waited', () => {
    const after = withMark(told([memory('A'), memory('B')], [memory('CAND-A', { now: 'A' })]), said('A', { wrong: true, marked: 'wrong' }))

    expect(after.tellings.flatMap((telling) => telling.memories.map((one) => one.marked))).toEqual(['wrong', '', 'wrong'])
  })

  it('is not said twice, but for not relevant, which counts', () => {
    const marked = memory('A', { wrong: true, irrelevant: 2, marked: 'wrong, not relevant 2×' })

    expect(isSaid(marked, 'wrong')).toBe(true)
    expect(isSaid(marked, 'always')).toBe(false)
    expect(isSaid(marked, 'irrelevant')).toBe(false)
    expect(isSaid(marked, 'none')).toBe(false)
    expect(isSaid(memory('A'), 'none')).toBe(true)
  })

  it('cannot be said of what is gone, waits or was rejected', () => {
    expect(whyNot(memory('A'))).toBe('')
    expect(whyNot(memory('A', { now: '', status: '' }))).toContain('not in memory')
    expect(whyNot(memory('CAND-A', { status: 'candidate' }))).toContain('Review')
    expect(whyNot(memory('CAND-A', { status: 'rejected' }))).toContain('rejected')
  })
})

describe('in words', () => {
  it('an event says what something was told for', () => {
    expect(whatFor({ at: 'session_start', cause: 'startup' })).toBe('At the start')
    expect(whatFor({ at: 'session_start', cause: 'compact' })).toBe('After a compaction')
    expect(whatFor({ at: 'session_start', cause: 'resume' })).toBe('When it was resumed')
    expect(whatFor({ at: 'prompt', cause: '' })).toBe('For a prompt')
    expect(whatFor({ at: 'before_tool', cause: 'Edit' })).toBe('Before Edit')
    expect(whatFor({ at: 'before_tool', cause: '' })).toBe('Before a tool')
    expect(whatFor({ at: 'something_new', cause: '' })).toBe('something_new')
  })

  it('what came of a memory is a verdict and why', () => {
    expect(outcomeOf({ cameOfIt: 'used: wrote: httpx' })).toEqual({ verdict: 'used', why: 'wrote: httpx', tone: 'good' })
    expect(outcomeOf({ cameOfIt: 'contradicted' }).tone).toBe('warn')
    expect(outcomeOf({ cameOfIt: '' })).toEqual({ verdict: '', why: '', tone: 'plain' })
  })
})
