import type { Candidate, ConflictRow, MemoryType } from '../memory/shapes'

/** A line of the queue: a candidate, or two memories that hold and contradict each other. */
export type Item = { key: string; candidate: Candidate; pair?: undefined } | { key: string; pair: ConflictRow; candidate?: undefined }

/** The queue as the page holds it. Pure: each step gives a new one. */
export interface Queue {
  items: readonly Item[]
  /** Decided here, the server has not answered yet. Not shown, and not forgotten. */
  under: ReadonlySet<string>
  /** The key of the one that is read. */
  here: string
  selected: ReadonlySet<string>
  /** Where a range begins. */
  anchor: string
}

export interface Filter {
  type: MemoryType | ''
  client: string
  session: string
  /** The least confidence; a candidate that says none has 1, as for `holdfast accept --min-confidence`. */
  least: number
  words: string
  conflicts: boolean
}

export const EMPTY: Queue = { items: [], under: new Set(), here: '', selected: new Set(), anchor: '' }
export const ALL: Filter = { type: '', client: '', session: '', least: 0, words: '', conflicts: false }

export function itemsOf(candidates: readonly Candidate[], pairs: readonly ConflictRow[]): Item[] {
  const all: Item[] = [
    ...pairs.map((pair) => ({ key: `${pair.new} ${pair.old}`, pair })),
    ...candidates.map((candidate) => ({ key: candidate.id, candidate })),
  ]
  // Two files may hold one id; a decision names the id, so that one line is enough.
  const seen = new Set<string>()
  return all.filter((item) => !seen.has(item.key) && seen.add(item.key))
}

/** What is to be seen: of the filter, and not decided a moment ago. A question is one line, by the candidate that leads it. */
export function shown(queue: Queue, filter: Filter = ALL): Item[] {
  const leads = leadsOf(queue)
  const there = queue.items.filter((item) => !queue.under.has(item.key))
  // Who looks for one that is asked with another finds the question.
  const found = new Set(there.filter((item) => isMeant(item, filter)).map((item) => leads.get(item.key) ?? item.key))
  return there.filter((item) => found.has(item.key) && !leads.has(item.key))
}

/** Candidates that are asked with another one, and which one leads them. */
function leadsOf(queue: Queue): ReadonlyMap<string, string> {
  const by = new Map(queue.items.map((item) => [item.key, item]))
  const leads = new Map<string, string>()
  for (const { key, candidate } of queue.items) {
    const lead = candidate?.settled ? by.get(candidate.group)?.candidate : undefined
    // What somebody decided leads nothing any more; what is asked with yet another is looked up anew in a moment.
    if (lead && !lead.settled && !queue.under.has(lead.id)) leads.set(key, lead.id)
  }
  return leads
}

/** The one that leads the question of this one: itself, mostly. */
export function leadOf(queue: Queue, key: string): string {
  return leadsOf(queue).get(key) ?? key
}

/** What is asked with this one and is no line of its own, in the server's order. */
export function askedWith(queue: Queue, key: string): Candidate[] {
  const leads = leadsOf(queue)
  return queue.items.flatMap(({ key: one, candidate }) => (candidate && leads.get(one) === key ? [candidate] : []))
}

/** How many others are asked with each that leads. */
export function countAsked(queue: Queue): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const lead of leadsOf(queue).values()) counts.set(lead, (counts.get(lead) ?? 0) + 1)
  return counts
}

/** These and what goes with them when they are accepted; with `repeats` alone, when they are rejected. */
export function withSettled(queue: Queue, keys: readonly string[], how: 'all' | 'repeats' = 'all'): string[] {
  const leads = leadsOf(queue)
  const named = new Set(keys)
  const more = queue.items.filter(({ key, candidate }) => named.has(leads.get(key) ?? '') && (how === 'all' || candidate?.settled === how))
  return [...new Set([...keys, ...more.map((item) => item.key)])]
}

/** Whether some are left of a question whose lead is gone: the server asks them otherwise now. */
export function isTorn(queue: Queue): boolean {
  const there = new Set(queue.items.map((item) => item.key))
  return queue.items.some(({ candidate }) => candidate?.settled && !there.has(candidate.group))
}

export function words(queue: Queue): string {
  const left = shown(queue)
  const pairs = left.filter((item) => item.pair).length
  const questions = left.length - pairs
  const candidates = queue.items.filter((item) => item.candidate && !queue.under.has(item.key)).length
  const all = candidates > questions ? ` (${candidates.toLocaleString('en')} candidates)` : ''
  const waiting = `${questions.toLocaleString('en')} to review${all}`
  return pairs ? `${waiting}, ${pairs.toLocaleString('en')} ${pairs === 1 ? 'conflict' : 'conflicts'}` : waiting
}

export function isMeant(item: Item, filter: Filter): boolean {
  if (item.pair) return isPairMeant(item.pair, filter)
  const memory = item.candidate
  const { client, session, blocked } = memory
  return (
    (!filter.type || memory.type === filter.type) &&
    (!filter.client || client === filter.client) &&
    (!filter.session || session === filter.session) &&
    sure(item) >= filter.least &&
    (!filter.conflicts || blocked) &&
    holdsAll(`${memory.id} ${memory.title} ${memory.body} ${memory.tags.join(' ')} ${memory.paths.join(' ')}`, filter.words)
  )
}

function isPairMeant(pair: ConflictRow, filter: Filter): boolean {
  // Of a pair only the titles are known: it stays where a filter asks what it cannot answer, but for one client or session.
  if (filter.client || filter.session || filter.type) return false
  return holdsAll(`${pair.new} ${pair.old} ${pair.newTitle} ${pair.oldTitle}`, filter.words)
}

export function holdsAll(text: string, words: string): boolean {
  const inside = text.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => inside.includes(word))
}

export function sure(item: Item): number {
  return item.candidate?.confidence ?? 1
}

/** The whole queue anew. The place is kept: what was read stays read, or what came after it is. */
export function arrived(queue: Queue, items: readonly Item[], keep = false): Queue {
  const known = new Set(items.map((item) => item.key))
  return {
    items,
    under: only(queue.under, known),
    here: keep ? queue.here : place(queue, items, known),
    selected: only(queue.selected, known),
    anchor: known.has(queue.anchor) ? queue.anchor : '',
  }
}

/** What is read, or what came after it. An address that names what never was here is left: the page says so. */
function place({ items: before, here }: Queue, items: readonly Item[], known: ReadonlySet<string>): string {
  if (known.has(here) || (here && !before.some((item) => item.key === here))) return here
  return neighbour(before, here, (key) => known.has(key)) || (items[0]?.key ?? '')
}

/** One that came or changed. A new one stands on top of the candidates, as the server orders them. */
export function came(queue: Queue, item: Item): Queue {
  const at = queue.items.findIndex((one) => one.key === item.key)
  const items = [...queue.items]
  if (at >= 0) items[at] = item
  else items.splice(item.pair ? 0 : queue.items.filter((one) => one.pair).length, 0, item)
  return { ...queue, items, here: queue.here || item.key }
}

/** Some left: decided elsewhere, or here and the server said so. `keep`: the one that is read is being edited. */
export function left(queue: Queue, keys: Iterable<string>, keep = false): Queue {
  const out = new Set(keys)
  return arrived(
    queue,
    queue.items.filter((item) => !out.has(item.key)),
    keep,
  )
}

/** Decided here: out of sight at once, and the next one is read. */
export function decided(queue: Queue, keys: Iterable<string>, filter: Filter = ALL): Queue {
  const out = new Set(keys)
  const under = new Set([...queue.under, ...out])
  const visible = shown(queue, filter)
  // After one that is asked with another, the question itself is read.
  const here = out.has(queue.here) ? nearest(visible, leadOf(queue, queue.here), (key) => !under.has(key)) : queue.here
  return { ...queue, under, here, selected: without(queue.selected, out) }
}

/** The server did not do it: they stand where they stood. */
export function restored(queue: Queue, keys: Iterable<string>, here = ''): Queue {
  const back = new Set(keys)
  return { ...queue, under: without(queue.under, back), here: here || queue.here }
}

/** One step up or down in what is shown; from nowhere to the first. */
export function moved(queue: Queue, visible: readonly Item[], step: number): Queue {
  if (!visible.length) return { ...queue, here: '' }
  const from = leadOf(queue, queue.here)
  const at = visible.findIndex((item) => item.key === from)
  const to = at < 0 ? 0 : Math.min(Math.max(at + step, 0), visible.length - 1)
  return { ...queue, here: visible[to]!.key }
}

export function at(queue: Queue, key: string): Queue {
  return { ...queue, here: key }
}

/** Select one, or take it out again. Pairs cannot be decided in bulk, and are left out. */
export function toggled(queue: Queue, key: string): Queue {
  const item = queue.items.find((one) => one.key === key)
  if (!item?.candidate) return queue
  const selected = new Set(queue.selected)
  if (!selected.delete(key)) selected.add(key)
  return { ...queue, selected, anchor: key }
}

/** Select all from where the last one was selected to here. */
export function ranged(queue: Queue, visible: readonly Item[], key: string): Queue {
  const order = visible.map((item) => item.key)
  const from = order.indexOf(queue.anchor)
  const to = order.indexOf(key)
  if (to < 0) return queue
  if (from < 0) return toggled(queue, key)
  const span = visible.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ...queue, selected: new Set([...queue.selected, ...candidatesOf(span)]) }
}

export function selectedAll(queue: Queue, items: readonly Item[]): Queue {
  return { ...queue, selected: new Set(candidatesOf(items)) }
}

export function cleared(queue: Queue): Queue {
  return { ...queue, selected: new Set(), anchor: '' }
}

export function candidatesOf(items: readonly Item[]): string[] {
  return items.filter((item) => item.candidate).map((item) => item.key)
}

/** The next candidate of the same question, the one that leads it after the last. */
export function turned(queue: Queue): Queue {
  const lead = leadOf(queue, queue.here)
  const all = [lead, ...askedWith(queue, lead).map((one) => one.id)]
  return { ...queue, here: all[(all.indexOf(queue.here) + 1) % all.length] ?? queue.here }
}

/** This one if it is there, else its neighbour. */
function nearest(items: readonly Item[], key: string, isThere: (key: string) => boolean): string {
  return items.some((item) => item.key === key) && isThere(key) ? key : neighbour(items, key, isThere)
}

/** The next one in the order that was, else the one before: where the eye is. */
function neighbour(items: readonly Item[], key: string, isThere: (key: string) => boolean): string {
  const from = items.findIndex((item) => item.key === key)
  const after = from < 0 ? items : items.slice(from + 1)
  const before = from < 0 ? [] : items.slice(0, from).reverse()
  return [...after, ...before].find((item) => isThere(item.key))?.key ?? ''
}

function only(set: ReadonlySet<string>, known: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...set].filter((key) => known.has(key)))
}

function without(set: ReadonlySet<string>, out: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...set].filter((key) => !out.has(key)))
}
