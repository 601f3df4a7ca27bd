import { after, nothing, step, type RunState, type Told } from './run'

/** A run played again from its events. Long waits are cut short: what happened counts, not how long a model thought. */
export const LONGEST_GAP = 4000
const SHORTEST_GAP = 60
const EVERY = 100

export interface Reel {
  events: readonly Told[]
  /** When each event comes, in milliseconds from the beginning of the replay. */
  offsets: number[]
  length: number
  /** The run after every hundredth event: a jump anywhere reduces a hundred events at most. */
  kept: RunState[]
}

export function reel(events: readonly Told[]): Reel {
  const offsets: number[] = []
  let at = 0
  let before = NaN
  for (const event of events) {
    const now = Date.parse(event.ts)
    if (offsets.length) at += gap(before, now)
    offsets.push(at)
    before = now
  }
  return { events, offsets, length: at, kept: milestones(events) }
}

/** Times that go backwards or cannot be read are as if they came at once. */
function gap(before: number, now: number): number {
  const between = now - before
  return Number.isFinite(between) ? Math.min(LONGEST_GAP, Math.max(SHORTEST_GAP, between)) : SHORTEST_GAP
}

function milestones(events: readonly Told[]): RunState[] {
  const kept = [nothing]
  let run = nothing
  events.forEach((event, index) => {
    run = step(run, event)
    if ((index + 1) % EVERY === 0) kept.push(run)
  })
  return kept
}

/** How many events have come at a moment of the replay. */
export function countAt(of: Reel, moment: number): number {
  let low = 0
  let high = of.offsets.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((of.offsets[middle] ?? 0) <= moment) low = middle + 1
    else high = middle
  }
  return low
}

/** The run after so many of its events. */
export function runAt(of: Reel, count: number): RunState {
  const kept = Math.min(Math.floor(count / EVERY), of.kept.length - 1)
  return after(of.events.slice(kept * EVERY, count), of.kept[kept])
}

/** The moment of the event before or after a place: how the arrow keys move. */
export function neighbour(of: Reel, moment: number, direction: 1 | -1): number {
  const count = countAt(of, moment)
  const wanted = direction === 1 ? count : count - 2
  return of.offsets[Math.max(0, Math.min(wanted, of.offsets.length - 1))] ?? 0
}

/** The playing head: it moves with the time that passed, times the speed, and stops at the end. */
export interface Head {
  moment: number
  playing: boolean
  speed: number
}

export const SPEEDS = [0.5, 1, 2, 4, 16] as const

export function moved(head: Head, passed: number, length: number): Head {
  if (!head.playing) return head
  const moment = Math.min(length, head.moment + passed * head.speed)
  return { ...head, moment, playing: moment < length }
}

/** Play from where it stands; from the beginning when it is at the end. */
export function toggled(head: Head, length: number): Head {
  if (head.playing) return { ...head, playing: false }
  return { ...head, playing: length > 0, moment: head.moment >= length ? 0 : head.moment }
}
