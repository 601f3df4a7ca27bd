/** Numbers for the page of signals. Pure. */
export interface Rated {
  ts: string
  rating: number
}

export interface Used {
  id: string
  sessions: number
  used: number
  ignored: number
  contradicted: number
  tokens: number
}

/** The mean of each day that has ratings, oldest first; x in seconds. */
export function byDay(ratings: readonly Rated[]): { x: number[]; mean: number[]; count: number[] } {
  const days = new Map<number, number[]>()
  for (const { ts, rating } of ratings) {
    const at = Date.parse(`${ts.slice(0, 10)}T00:00:00Z`)
    if (Number.isNaN(at) || !Number.isFinite(rating)) continue
    const known = days.get(at / 1000)
    if (known) known.push(rating)
    else days.set(at / 1000, [rating])
  }
  const x = [...days.keys()].sort((one, other) => one - other)
  const of = (day: number) => days.get(day) ?? []
  return {
    x,
    mean: x.map((day) => round(of(day).reduce((sum, one) => sum + one, 0) / of(day).length)),
    count: x.map((day) => of(day).length),
  }
}

export function meanOf(ratings: readonly Rated[]): number | undefined {
  const good = ratings.filter((one) => Number.isFinite(one.rating))
  return good.length ? round(good.reduce((sum, one) => sum + one.rating, 0) / good.length) : undefined
}

/** Those that were used, the most first. */
export function worthwhile<U extends Used>(memories: readonly U[]): U[] {
  return memories.filter((one) => one.used).sort((one, other) => other.used - one.used || other.used / other.sessions - one.used / one.sessions)
}

/** Those that were told again and again for nothing, or proved wrong: what they cost first. Once says nothing. */
export function useless<U extends Used>(memories: readonly U[]): U[] {
  return memories
    .filter((one) => one.contradicted > 0 || (!one.used && one.sessions > 1))
    .sort((one, other) => other.contradicted - one.contradicted || other.tokens - one.tokens)
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

export function money(dollars: number): string {
  if (!dollars) return '$0'
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`
}

/** Seconds since 1970 of a day like 2026-11-15. */
export function dayAt(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}

/** One time alone is a point without a scale: it gets an empty one on either side. */
export function padded(x: readonly number[], series: readonly (readonly number[])[], by: number): { x: number[]; series: (number | null)[][] } {
  const [only] = x
  if (x.length !== 1 || only === undefined) return { x: [...x], series: series.map((one) => [...one]) }
  return { x: [only - by, only, only + by], series: series.map((one) => [null, one[0] ?? null, null]) }
}

export const DAY = 86_400

/** The day so many periods from another one: how the synthesis is paged. */
export function moved(day: string, kind: 'week' | 'month' | 'all', by: number): string {
  const at = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(at.getTime()) || kind === 'all') return day
  if (kind === 'week') at.setUTCDate(at.getUTCDate() + 7 * by)
  else at.setUTCFullYear(at.getUTCFullYear(), at.getUTCMonth() + by, 1)
  return at.toISOString().slice(0, 10)
}

export interface Compared {
  what: string
  told: number
  held: number
  toldMean: number | undefined
  heldMean: number | undefined
  difference: number | undefined
  low: number | undefined
  high: number | undefined
  verdict: string
}

const MEASURES: [string, string][] = [
  ['rating', 'Rating'],
  ['failed_checks', 'Failed checks in a session'],
  ['corrections', 'Corrections in a session'],
]

/** The hold-out's comparison; empty where nothing was held out. */
export function compared(holdout: Record<string, unknown> | null | undefined): Compared[] {
  if (!holdout) return []
  return MEASURES.flatMap(([name, what]) => {
    const row = record(holdout[name] ?? holdout[camel(name)])
    if (!row) return []
    const number = (key: string) => {
      const value = row[key] ?? row[camel(key)]
      return typeof value === 'number' ? value : undefined
    }
    return [{
      what,
      told: number('told') ?? 0,
      held: number('held') ?? 0,
      toldMean: number('told_mean'),
      heldMean: number('held_mean'),
      difference: number('difference'),
      low: number('low'),
      high: number('high'),
      verdict: typeof row.verdict === 'string' ? row.verdict : '',
    }]
  })
}

export interface Found {
  sessions: number
  prompts: number
  failed: number
  ratings: { count: number; mean: number | undefined; low: number; before: number | undefined; trend: string }
  failures: { count: number; sessions: number; last: string; example: string }[]
  learnings: { category: string; text: string; at: string }[]
  files: { path: string; changes: number; sessions: number }[]
}

/** A synthesis as the page reads it. */
export function foundIn(value: Record<string, unknown>): Found {
  const ratings = record(value.ratings) ?? {}
  const learnings = record(value.learnings) ?? {}
  const number = (of: unknown) => (typeof of === 'number' ? of : 0)
  const text = (of: unknown) => (typeof of === 'string' ? of : '')
  return {
    sessions: number(value.sessions),
    prompts: number(value.prompts),
    failed: number(value.failed),
    ratings: {
      count: number(ratings.count),
      mean: typeof ratings.mean === 'number' ? ratings.mean : undefined,
      low: number(ratings.low),
      before: typeof ratings.before === 'number' ? ratings.before : undefined,
      trend: text(ratings.trend),
    },
    failures: rows(value.failures).map((row) => ({ count: number(row.count), sessions: number(row.sessions), last: text(row.last), example: text(row.example) })),
    learnings: Object.entries(learnings).flatMap(([category, list]) => rows(list).map((row) => ({ category, text: text(row.text), at: text(row.at) }))),
    files: rows(value.files).map((row) => ({ path: text(row.path), changes: number(row.changes), sessions: number(row.sessions) })),
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}

function rows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record).filter((row) => row !== undefined) : []
}
