import { describe, expect, it } from 'vitest'

import { chains, months } from './decisions'
import { patterns, UNSAID } from './failures'
import { Rows } from './rows.svelte'
import type { Decision, Failure } from './shapes'

function decision(id: string, validFrom: string, more: Partial<Decision> = {}): Decision {
  return { id, title: id, validFrom, timestamp: validFrom, supersedes: [], supersededBy: null, ...more } as Decision
}

function failure(id: string, errorType: string, attempts: number, rootCause = ''): Failure {
  return { id, title: id, errorType, rootCause, attempts, timestamp: `2026-01-0${id.length}` } as Failure
}

function shape(list: Decision[]): [string, number][][] {
  return chains(list).map((chain) => chain.map((step) => [step.decision.id, step.depth]))
}

describe('the decision timeline', () => {
  it('puts what was superseded below what replaced it, by either link', () => {
    const list = [
      decision('OLDEST', '2026-01-05'),
      decision('OLD', '2026-02-01', { supersedes: ['OLDEST'] }),
      decision('NEW', '2026-05-01'),
      decision('ALONE', '2026-03-01'),
    ]
    list[1]!.supersededBy = 'NEW'

    expect(shape(list)).toEqual([[['NEW', 0], ['OLD', 1], ['OLDEST', 2]], [['ALONE', 0]]])
  })

  it('shows every decision once, also when two supersede each other', () => {
    const list = [decision('A', '2026-01-01', { supersedes: ['B'] }), decision('B', '2026-01-02', { supersedes: ['A'] })]

    expect(chains(list).flat().map((step) => step.decision.id).sort()).toEqual(['A', 'B'])
  })

  it('does not lose one whose successor is not in the list', () => {
    expect(shape([decision('A', '2026-01-01', { supersededBy: 'ELSEWHERE' })])).toEqual([[['A', 0]]])
  })

  it('goes by month, newest first', () => {
    const list = [decision('A', '2026-01-01'), decision('B', '2026-03-09'), decision('C', '2026-03-20T10:00:00Z')]

    expect(months(list).map((month) => [month.month, month.chains.length])).toEqual([['2026-03', 2], ['2026-01', 1]])
  })
})

describe('failure patterns', () => {
  it('add up how often each kind happened, the most frequent first and the unsaid last', () => {
    const found = patterns(
      [failure('F', '', 9), failure('FF', 'Timeout', 2), failure('FFF', ' timeout', 0), failure('FFFF', 'OOM', 4)],
      'errorType',
    )

    expect(found.map((one) => [one.name, one.attempts, one.failures.length])).toEqual([
      ['OOM', 4, 1],
      ['Timeout', 3, 2],
      [UNSAID, 9, 1],
    ])
    expect(found[1]?.last).toBe('2026-01-03')
  })

  it('can be grouped by root cause', () => {
    expect(patterns([failure('F', 'A', 1, 'no lock'), failure('G', 'B', 1, 'no  lock')], 'rootCause')).toHaveLength(1)
  })
})

describe('rows loaded page by page', () => {
  const pages = (asked: string[]) => async (cursor: string) => {
    asked.push(cursor)
    const at = cursor ? Number(cursor) : 0
    return { data: [at, at + 1], next: at < 8 ? String(at + 2) : '', total: 10, status: 200, etag: '', batch: '' }
  }

  it('asks for no more than what is looked at', async () => {
    const asked: string[] = []
    const rows = new Rows<number>(pages(asked))
    await rows.begin()
    expect([rows.rows.length, rows.total]).toEqual([2, 10])

    rows.need(5)
    await expect.poll(() => rows.rows.length).toBe(6)

    expect(asked).toEqual(['', '2', '4'])
    expect(rows.rows).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('keeps what is looked at while it is read anew', async () => {
    const asked: string[] = []
    const rows = new Rows<number>(pages(asked))
    await rows.begin()
    rows.need(5)
    await expect.poll(() => rows.rows.length).toBe(6)
    asked.length = 0

    const seen: number[] = []
    const reading = rows.begin(true)
    seen.push(rows.rows.length)
    await reading

    expect([...seen, rows.rows.length, asked]).toEqual([6, 6, ['', '2', '4']])
  })

  it('begins anew without mixing in a page of before', async () => {
    let answer: (() => void) | undefined
    const rows = new Rows<number>(async (cursor) => {
      if (cursor) await new Promise<void>((resolve) => (answer = resolve))
      return { data: cursor ? [99] : [1, 2], next: 'more', total: 50, status: 200, etag: '', batch: '' }
    })
    await rows.begin()
    rows.need(10)
    await expect.poll(() => answer).toBeDefined()

    rows.need(0)
    await rows.begin()
    answer?.()
    await new Promise((resolve) => setTimeout(resolve))

    expect(rows.rows).toEqual([1, 2])
  })
})
