import type { Failure } from './shapes'

/** Failures of one kind: how many, and how often they happened in all. */
export interface Pattern {
  name: string
  failures: Failure[]
  attempts: number
  last: string
}

export type GroupedBy = 'errorType' | 'rootCause'

export const UNSAID = 'Not said'

/** Most frequent first; what says no kind comes last. */
export function patterns(failures: readonly Failure[], by: GroupedBy): Pattern[] {
  const found = new Map<string, { name: string; failures: Failure[] }>()
  for (const failure of failures) {
    const name = failure[by].trim().replace(/\s+/gu, ' ')
    const key = name.toLowerCase()
    const group = found.get(key) ?? { name: name || UNSAID, failures: [] }
    group.failures.push(failure)
    found.set(key, group)
  }
  return [...found].map(([key, group]) => ({ key, ...summed(group) })).sort(
    (one, other) => Number(!one.key) - Number(!other.key) || other.attempts - one.attempts || one.name.localeCompare(other.name),
  )
}

function summed({ name, failures }: { name: string; failures: Failure[] }): Pattern {
  const ordered = [...failures].sort((one, other) => times(other) - times(one) || other.timestamp.localeCompare(one.timestamp))
  const last = failures.reduce((latest, one) => (one.timestamp > latest ? one.timestamp : latest), '')
  return { name, failures: ordered, attempts: failures.reduce((sum, one) => sum + times(one), 0), last }
}

/** A failure that does not say how often happened once. */
export function times(failure: Failure): number {
  return Math.max(failure.attempts, 1)
}
