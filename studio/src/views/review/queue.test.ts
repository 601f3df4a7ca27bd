import { describe, expect, it } from 'vitest'

import type { Candidate, ConflictRow } from '../memory/shapes'
import * as q from './queue'

function candidate(id: string, more: Record<string, unknown> = {}, about: Partial<Candidate> = {}): Candidate {
  const memory = { id, type: 'learning', title: id, body: '', tags: [], paths: [], confidence: 0.5, ...more }
  return { ...memory, conflicts: [], blocked: false, session: '', client: '', ...about } as unknown as Candidate
}

function queueOf(...ids: string[]): q.Queue {
  return q.at(q.arrived(q.EMPTY, q.itemsOf(ids.map((id) => candidate(id)), [])), ids[0] ?? '')
}

const keysOf = (queue: q.Queue) => q.shown(queue).map((item) => item.key)
const PAIR = { new: 'DEC-2', old: 'DEC-1', newTitle: 'Use SQLite', oldTitle: 'Use Postgres', reason: '' } as ConflictRow

describe('what waits', () => {
  it('is said as the navigation counts it: candidates and conflicts each for themselves', () => {
    const some = [candidate('A'), candidate('B')]

    expect(q.words(q.arrived(q.EMPTY, q.itemsOf(some, [PAIR])))).toBe('2 to review, 1 conflict')
    expect(q.words(q.decided(q.arrived(q.EMPTY, q.itemsOf(some, [])), ['A']))).toBe('1 to review')
  })
})

describe('a question', () => {
  const LEAD = candidate('B', { title: 'sessions.db' })
  const same = candidate('A', { title: 'sessions' }, { settled: 'repeats', group: 'B' })
  const back = candidate('C', { title: 'restore.db' }, { settled: 'taken back', group: 'B' })
  const queue = q.at(q.arrived(q.EMPTY, q.itemsOf([LEAD, same, back, candidate('D')], [])), 'B')

  it('is one line, whoever said it how often', () => {
    expect(keysOf(queue)).toEqual(['B', 'D'])
    expect(q.askedWith(queue, 'B').map((one) => one.id)).toEqual(['A', 'C'])
    expect(q.words(queue)).toBe('2 to review (4 candidates)')
  })

  it('is found by the words of each of its candidates', () => {
    expect(q.shown(queue, { ...q.ALL, words: 'restore' }).map((item) => item.key)).toEqual(['B'])
  })

  it('leaves whole when it is accepted, and what was taken back is asked again when it is rejected', () => {
    expect(q.withSettled(queue, ['B'])).toEqual(['B', 'A', 'C'])
    expect(q.withSettled(queue, ['B'], 'repeats')).toEqual(['B', 'A'])
    expect(keysOf(q.decided(queue, q.withSettled(queue, ['B'], 'repeats')))).toEqual(['C', 'D'])
  })

  it('is read one candidate after the other, and left from each of them', () => {
    const second = q.turned(queue)

    expect(second.here).toBe('A')
    expect(q.turned(q.turned(second)).here).toBe('B')
    expect(q.moved(second, q.shown(second), 1).here).toBe('D')
    expect(q.decided(second, ['A']).here).toBe('B')
  })

  it('is torn when somebody decided its lead alone', () => {
    const rest = q.left(queue, ['B'])

    expect([q.isTorn(queue), q.isTorn(rest)]).toEqual([false, true])
    expect(keysOf(rest)).toEqual(['A', 'C', 'D'])
  })
})

describe('a decision', () => {
  it('takes the candidate out of sight at once and reads the next one', () => {
    const queue = q.decided(queueOf('A', 'B', 'C'), ['A'])

    expect(keysOf(queue)).toEqual(['B', 'C'])
    expect(queue.here).toBe('B')
  })

  it('on the last one reads the one before, and on the only one nothing', () => {
    expect(q.decided(q.at(queueOf('A', 'B'), 'B'), ['B']).here).toBe('A')
    expect(q.decided(queueOf('A'), ['A']).here).toBe('')
  })

  it('that the server refuses is where it was, and is read again', () => {
    const queue = q.restored(q.decided(queueOf('A', 'B', 'C'), ['B']), ['B'], 'B')

    expect(keysOf(queue)).toEqual(['A', 'B', 'C'])
    expect(queue.here).toBe('B')
  })

  it('stays out of sight when the queue is read anew before the server answered', () => {
    const queue = q.arrived(q.decided(queueOf('A', 'B'), ['A']), q.itemsOf([candidate('A'), candidate('B')], []))

    expect(keysOf(queue)).toEqual(['B'])
  })

  it('goes to the next that the filter shows', () => {
    const items = q.itemsOf([candidate('A'), candidate('B', { type: 'decision' }), candidate('C')], [])
    const queue = q.at(q.arrived(q.EMPTY, items), 'A')

    expect(q.decided(queue, ['A'], { ...q.ALL, type: 'learning' }).here).toBe('C')
  })
})

describe('what others change', () => {
  it('leaves the place where it was', () => {
    const queue = q.left(q.at(queueOf('A', 'B', 'C'), 'B'), ['A'])

    expect([keysOf(queue), queue.here]).toEqual([['B', 'C'], 'B'])
  })

  it('moves on to what came after when the one that is read leaves', () => {
    expect(q.left(q.at(queueOf('A', 'B', 'C'), 'B'), ['B', 'C']).here).toBe('A')
    expect(q.left(q.at(queueOf('A', 'B', 'C'), 'B'), ['B']).here).toBe('C')
  })

  it('reads the first at the beginning, and leaves an address that leads to nothing', () => {
    const items = q.itemsOf([candidate('A'), candidate('B')], [])

    expect(q.arrived(q.EMPTY, items).here).toBe('A')
    expect(q.arrived(q.at(q.EMPTY, 'GONE'), items).here).toBe('GONE')
  })

  it('keeps the one that is being edited, so that its text is not lost', () => {
    const queue = q.left(q.at(queueOf('A', 'B'), 'B'), ['B'], true)

    expect([keysOf(queue), queue.here]).toEqual([['A'], 'B'])
  })

  it('puts a new one on top, below pairs, without moving the reader', () => {
    const queue = q.at(q.arrived(q.EMPTY, q.itemsOf([candidate('A')], [PAIR])), 'A')
    const after = q.came(queue, { key: 'NEW', candidate: candidate('NEW') })

    expect([keysOf(after), after.here]).toEqual([['DEC-2 DEC-1', 'NEW', 'A'], 'A'])
  })

  it('replaces one that changed in its place', () => {
    const after = q.came(queueOf('A', 'B'), { key: 'B', candidate: candidate('B', { title: 'other' }) })

    expect(keysOf(after)).toEqual(['A', 'B'])
    expect(after.items[1]?.candidate?.title).toBe('other')
  })

  it('takes what left out of the selection', () => {
    const queue = q.toggled(q.toggled(queueOf('A', 'B'), 'A'), 'B')

    expect([...q.left(queue, ['A']).selected]).toEqual(['B'])
  })
})

it('shows an id once that two files hold', () => {
  expect(q.itemsOf([candidate('A'), candidate('A'), candidate('B')], [PAIR, PAIR])).toHaveLength(3)
})

describe('selecting', () => {
  it('is toggled, and a range goes from the last one selected to here', () => {
    const queue = q.toggled(queueOf('A', 'B', 'C', 'D'), 'B')

    expect([...q.ranged(queue, q.shown(queue), 'D').selected]).toEqual(['B', 'C', 'D'])
    expect([...q.toggled(queue, 'B').selected]).toEqual([])
  })

  it('of a range without a beginning selects the one', () => {
    const queue = queueOf('A', 'B')

    expect([...q.ranged(queue, q.shown(queue), 'B').selected]).toEqual(['B'])
  })

  it('leaves pairs out: each needs an answer of its own', () => {
    const queue = q.arrived(q.EMPTY, q.itemsOf([candidate('A')], [PAIR]))

    expect([...q.selectedAll(queue, q.shown(queue)).selected]).toEqual(['A'])
    expect(q.toggled(queue, 'DEC-2 DEC-1').selected.size).toBe(0)
  })
})

describe('the filter', () => {
  const items = q.itemsOf(
    [
      candidate('A', { title: 'Use SQLite', confidence: 0.9, type: 'decision' }, { client: 'codex', session: 's1' }),
      candidate('B', { body: 'sqlite locks', confidence: 0.3 }, { client: 'claude-code', blocked: true }),
      candidate('C', { confidence: null }),
    ],
    [PAIR],
  )
  const seen = (filter: Partial<q.Filter>) =>
    q.shown(q.arrived(q.EMPTY, items), { ...q.ALL, ...filter }).map((item) => item.key)

  it('goes by type, client, session and words in any order', () => {
    expect(seen({ type: 'decision' })).toEqual(['A'])
    expect(seen({ client: 'claude-code' })).toEqual(['B'])
    expect(seen({ session: 's1' })).toEqual(['A'])
    expect(seen({ words: 'sqlite  use' })).toEqual(['DEC-2 DEC-1', 'A'])
    expect(seen({ words: 'locks' })).toEqual(['B'])
  })

  it('takes what says no confidence as sure, as the command line does', () => {
    expect(seen({ least: 0.8 })).toEqual(['DEC-2 DEC-1', 'A', 'C'])
  })

  it('shows only what is in conflict', () => {
    expect(seen({ conflicts: true })).toEqual(['DEC-2 DEC-1', 'B'])
  })
})

describe('moving', () => {
  it('stops at both ends and begins at the first', () => {
    const queue = queueOf('A', 'B')
    const visible = q.shown(queue)

    expect(q.moved(queue, visible, -1).here).toBe('A')
    expect(q.moved(queue, visible, 9).here).toBe('B')
    expect(q.moved(q.at(queue, 'gone'), visible, 1).here).toBe('A')
    expect(q.moved(queue, [], 1).here).toBe('')
  })
})
