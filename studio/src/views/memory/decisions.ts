import type { Decision } from './shapes'

/** A decision in its chain: what replaced it, and how far it is from what holds. */
export interface Step {
  decision: Decision
  /** What took its place, in one chain with it. */
  by: string
  depth: number
}

export interface Month {
  /** YYYY-MM, or '' where no time is known. */
  month: string
  /** Each chain: what holds first, below it what it replaced, newest first. */
  chains: Step[][]
}

/** Decisions by month, newest first. One that was superseded stands below what replaced it. */
export function months(decisions: readonly Decision[]): Month[] {
  const byMonth = new Map<string, Step[][]>()
  for (const chain of chains(decisions)) {
    const month = whenOf(chain[0]!.decision).slice(0, 7)
    byMonth.set(month, [...(byMonth.get(month) ?? []), chain])
  }
  return [...byMonth].map(([month, list]) => ({ month, chains: list }))
}

/** All chains, that with the newest head first. Every decision is in one, also when links go round in a circle. */
export function chains(decisions: readonly Decision[]): Step[][] {
  const known = new Map(decisions.map((one) => [one.id, one]))
  const replaced = replacements(decisions, known)
  const olds = new Map<string, string[]>()
  for (const [old, by] of replaced) olds.set(by, [...(olds.get(by) ?? []), old])
  const order = [...decisions].sort((one, other) => newer(one, other))
  const taken = new Set<string>()
  const grow = (id: string, by: string, depth: number): Step[] => {
    if (taken.has(id)) return []
    taken.add(id)
    const below = (olds.get(id) ?? []).map((old) => known.get(old)!).sort(newer)
    return [{ decision: known.get(id)!, by, depth }, ...below.flatMap((old) => grow(old.id, id, depth + 1))]
  }
  const heads = order.filter((one) => !replaced.has(one.id))
  return [...heads, ...order]
    .map((one) => grow(one.id, '', 0))
    .filter((chain) => chain.length)
    .sort((one, other) => newer(one[0]!.decision, other[0]!.decision))
}

/** What replaced each, by the link on either side: superseded_by is derived, supersedes is what the file says. */
function replacements(decisions: readonly Decision[], known: ReadonlyMap<string, Decision>): Map<string, string> {
  const by = new Map<string, string>()
  for (const one of decisions) for (const old of one.supersedes) if (old !== one.id && known.has(old)) by.set(old, one.id)
  for (const one of decisions) if (one.supersededBy && known.has(one.supersededBy)) by.set(one.id, one.supersededBy)
  return by
}

export function whenOf(one: Decision): string {
  return one.validFrom || one.timestamp
}

function newer(one: Decision, other: Decision): number {
  return whenOf(other).localeCompare(whenOf(one)) || one.id.localeCompare(other.id)
}
