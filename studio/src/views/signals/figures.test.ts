import { describe, expect, it } from 'vitest'

import { byDay, compared, DAY, foundIn, meanOf, moved, padded, useless, worthwhile } from './figures'

function used(id: string, more: Partial<Record<'sessions' | 'used' | 'ignored' | 'contradicted' | 'tokens', number>>) {
  return { id, sessions: 1, used: 0, ignored: 0, contradicted: 0, tokens: 0, ...more }
}

describe('ratings', () => {
  it('become one mean for each day, oldest first, without what cannot be read', () => {
    const rated = [
      { ts: '2026-11-15T10:00:00Z', rating: 8 },
      { ts: '2026-11-14T23:59:00Z', rating: 4 },
      { ts: '2026-11-15T12:00:00Z', rating: 5 },
      { ts: 'never', rating: 1 },
    ]

    const { x, mean, count } = byDay(rated)

    expect(x.map((at) => new Date(at * 1000).toISOString().slice(0, 10))).toEqual(['2026-11-14', '2026-11-15'])
    expect([mean, count]).toEqual([[4, 6.5], [1, 2]])
    expect(meanOf([])).toBeUndefined()
  })
})

describe('a plot', () => {
  it('has room around a single point, and is left alone otherwise', () => {
    expect(padded([DAY * 5], [[3]], DAY)).toEqual({ x: [DAY * 4, DAY * 5, DAY * 6], series: [[null, 3, null]] })
    expect(padded([1, 2], [[3, 4]], DAY)).toEqual({ x: [1, 2], series: [[3, 4]] })
    expect(padded([], [[]], DAY)).toEqual({ x: [], series: [[]] })
  })
})

describe('memories by their use', () => {
  const list = [
    used('often', { sessions: 9, used: 5 }),
    used('always', { sessions: 5, used: 5 }),
    used('never', { sessions: 4, ignored: 4, tokens: 90 }),
    used('dear', { sessions: 2, ignored: 2, tokens: 400 }),
    used('once', { sessions: 1, ignored: 1 }),
    used('wrong', { sessions: 3, used: 2, contradicted: 1 }),
  ]

  it('show the best first', () => {
    expect(worthwhile(list).map((one) => one.id)).toEqual(['always', 'often', 'wrong'])
  })

  it('show what only costs, wrong ones first; being told once says nothing', () => {
    expect(useless(list).map((one) => one.id)).toEqual(['wrong', 'dear', 'never'])
  })
})

describe('periods', () => {
  it('move by weeks and months', () => {
    expect(moved('2026-11-15', 'week', -1)).toBe('2026-11-08')
    expect(moved('2026-01-31', 'month', 1)).toBe('2026-02-01')
    expect(moved('2026-01-31', 'month', -1)).toBe('2025-12-01')
    expect(moved('2026-11-15', 'all', -1)).toBe('2026-11-15')
  })

  it('are read with whatever is there', () => {
    expect(foundIn({})).toMatchObject({ sessions: 0, failures: [], files: [], ratings: { count: 0, mean: undefined } })
    const found = foundIn({ learnings: { system: [{ text: 'Pin versions', at: '2026-11-15' }], algorithm: 'no' }, failures: [null, { count: 2, example: 'x' }] })
    expect(found.learnings).toEqual([{ category: 'system', text: 'Pin versions', at: '2026-11-15' }])
    expect(found.failures).toMatchObject([{ count: 2, example: 'x' }])
  })
})

describe('a hold-out', () => {
  it('is compared in both ways of writing, and is nothing without one', () => {
    expect(compared(null)).toEqual([])
    expect(compared({ told: 9, held: 8, rating: { told: 9, held: 8, told_mean: 7.5, held_mean: 6, verdict: 'better' } })).toMatchObject([
      { what: 'Rating', toldMean: 7.5, heldMean: 6, verdict: 'better', low: undefined },
    ])
    expect(compared({ failedChecks: { toldMean: 1, held: 3 } })).toMatchObject([{ toldMean: 1, held: 3 }])
  })
})
