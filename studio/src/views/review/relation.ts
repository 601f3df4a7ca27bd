/** How a candidate stands to a memory that holds: a mark, a word, how loud it is. */
export interface Kind {
  mark: string
  word: string
  tone: 'plain' | 'accent' | 'warn'
}

const KINDS: Record<string, Kind> = {
  contradicts: { mark: '!', word: 'contradicts', tone: 'warn' },
  supersedes: { mark: '»', word: 'replaces', tone: 'accent' },
  duplicates: { mark: '=', word: 'repeats', tone: 'plain' },
  refines: { mark: '+', word: 'refines', tone: 'plain' },
}

export function kindOf(relation: string): Kind {
  return KINDS[relation] ?? { mark: '·', word: relation, tone: 'plain' }
}

/** The most important relation: the one that a row shows. */
export function loudest(relations: readonly { relation: string }[]): Kind | undefined {
  const order = Object.keys(KINDS)
  const found = relations.map((one) => one.relation).filter((name) => name in KINDS)
  const first = found.sort((one, other) => order.indexOf(one) - order.indexOf(other))[0]
  return first ? KINDS[first] : undefined
}

export function sureness(confidence: number | null | undefined): string {
  if (confidence === null || confidence === undefined) return '–'
  return confidence >= 0.995 ? '1.0' : confidence.toFixed(2).slice(1)
}
