import { describe, expect, it } from 'vitest'

import { asked, dayAt, dayOf, isDay, localDay, stepped, stopAt, stopsOf } from './asof'

const TODAY = '2026-11-15'
const STOPS = ['2026-03-01', '2026-06-20', '2026-11-02']

describe('the days on which memory changed', () => {
  it('are each there once, oldest first, and today is not among them', () => {
    const moments = ['2026-11-02', '2026-03-01', '2026-11-02', `${TODAY}`, '', 'yesterday', '2026-06-20']

    expect(stopsOf(moments, TODAY)).toEqual(STOPS)
  })

  it('are days of this clock: a moment late at night is not the next day', () => {
    const late = new Date(2026, 5, 20, 23, 59)

    expect(dayOf(late.toISOString())).toBe('2026-06-20')
    expect(localDay(late)).toBe('2026-06-20')
  })

  it('leave out days to come', () => {
    expect(stopsOf(['2027-01-01', '2026-01-01'], TODAY)).toEqual(['2026-01-01'])
  })
})

describe('the slider', () => {
  it('stands at the last change before the day, and past the end for now', () => {
    expect(stopAt(STOPS, '')).toBe(3)
    expect(stopAt(STOPS, '2026-06-20')).toBe(1)
    expect(stopAt(STOPS, '2026-08-01')).toBe(1)
    expect(stopAt(STOPS, '2020-01-01')).toBe(0)
    expect(stopAt([], '2026-08-01')).toBe(0)
  })

  it('gives the day of its stop', () => {
    expect(dayAt(STOPS, 1)).toBe('2026-06-20')
    expect(dayAt(STOPS, 3)).toBe('')
  })

  it('steps from a day between two stops to the next one', () => {
    expect(stepped(STOPS, '2026-08-01', 1)).toBe('2026-11-02')
    expect(stepped(STOPS, '2026-08-01', -1)).toBe('2026-06-20')
    expect(stepped(STOPS, '2026-11-02', 1)).toBe('')
    expect(stepped(STOPS, '', -1)).toBe('2026-11-02')
    expect(stepped(STOPS, '', 1)).toBe('')
    expect(stepped(STOPS, '2026-03-01', -1)).toBe('2026-03-01')
  })
})

describe('a typed day', () => {
  it('is taken when it is one, and today or later is now', () => {
    expect(asked('2026-02-28', TODAY)).toBe('2026-02-28')
    expect(asked(TODAY, TODAY)).toBe('')
    expect(asked('2030-01-01', TODAY)).toBe('')
    expect(asked('', TODAY)).toBe('')
  })

  it('is refused when there is no such day', () => {
    expect(asked('2026-06-31', TODAY)).toBeUndefined()
    expect(asked('2026-6-1', TODAY)).toBeUndefined()
    expect(isDay('2024-02-29')).toBe(true)
    expect(isDay('2025-02-29')).toBe(false)
  })
})
