import { SvelteMap } from 'svelte/reactivity'

import { here, type Answered } from '../../api/client'
import { live, type Message } from '../../api/live.svelte'
import { Problem } from '../../api/problem'
import { toasts, type Action } from '../../state/toasts.svelte'
import { undo, undoing } from '../../state/undo'
import type { Candidate, ConflictRow, Reviewed } from '../memory/shapes'
import * as q from './queue'

const PAGE = 200
const TOGETHER = 400
// The server looks for conflicts beside; rows that it has not looked at yet are asked for again.
const LOOK_AGAIN = 1500
const CHOOSE = 'Choose what shall hold: supersede the old one, keep it, narrow, or keep both.'
const NEWS = ['candidate_added', 'candidate_removed', 'memory_changed', 'snapshot']

export type Choice = 'supersede' | 'keep-old' | 'narrow' | 'keep-both'
export interface Answer {
  choice: Choice
  because: string
  paths: string[]
}

/** What happened to a candidate that the person should know while reading it. */
export interface Note {
  text: string
  hint: string
}

/** The queue, what is decided on it, and what others change beneath. */
export class Desk {
  queue = $state.raw<q.Queue>(q.EMPTY)
  filter = $state.raw<q.Filter>(q.ALL)
  problem = $state.raw<Problem | undefined>(undefined)
  begun = $state(false)
  /** How many the server has, where not all are here yet. */
  total = $state(0)
  /** Grows when memory changed: what the open candidate clashes with may be another. */
  turn = $state(0)
  /** The one that is being edited stays, whatever happens to it. */
  editing = $state('')
  /** Gone while it was edited: what came of it, as far as known. */
  notes = new SvelteMap<string, Note>()
  #under: AbortController | undefined
  #soon: ReturnType<typeof setTimeout> | undefined
  // Decisions reach the server in the order in which they were made: an undo right after an accept undoes that one.
  #last: Promise<unknown> = Promise.resolve()

  shown = $derived(q.shown(this.queue, this.filter))
  item = $derived(this.queue.items.find((one) => one.key === this.queue.here))
  /** How many others are asked with each that leads a question. */
  more = $derived(q.countAsked(this.queue))
  /** How many questions wait, whatever the filter. */
  waiting = $derived(q.shown(this.queue).length)
  /** What waits, each kind for itself, as the navigation counts them: candidates, and memories in conflict. */
  words = $derived(q.words(this.queue))

  /** Read the queue and follow what changes. Gives back how to stop. */
  open = (): (() => void) => {
    void this.read()
    const off = live.on(NEWS, this.#told)
    return () => {
      off()
      clearTimeout(this.#soon)
      this.#under?.abort()
    }
  }

  /** Page by page; the first time each page is shown as it comes. */
  read = async (): Promise<void> => {
    this.#under?.abort()
    const own = (this.#under = new AbortController())
    try {
      const pairs = await pairsOf(own.signal)
      const found: Candidate[] = []
      let cursor = ''
      do {
        const query = { cursor, limit: PAGE }
        const page: Answered<Candidate[]> = await here.ask('get', 'candidates', { query, signal: own.signal })
        if (own.signal.aborted) return
        found.push(...page.data)
        this.total = page.total ?? found.length
        cursor = page.next
        if (!this.begun || !cursor) this.#take([...found], pairs, !cursor)
      } while (cursor)
    } catch (thrown) {
      if (!own.signal.aborted) this.problem = Problem.of(thrown)
    }
  }

  #take(found: readonly Candidate[], pairs: readonly ConflictRow[], whole: boolean): void {
    this.queue = q.arrived(this.queue, q.itemsOf(found, pairs), !!this.editing)
    this.problem = undefined
    if (!whole) return
    this.begun = true
    if (found.some((one) => !one.looked)) this.#again(LOOK_AGAIN)
  }

  #told = (message: Message): void => {
    const { type, data } = message
    if (type === 'candidate_added' && typeof data.id === 'string') void this.#came(data.id)
    else if (type === 'candidate_removed' && Array.isArray(data.ids)) this.#left(data.ids.map(String))
    else {
      this.turn++
      this.#again()
    }
  }

  async #came(id: string): Promise<void> {
    try {
      const { candidate } = await here.get('candidates/{cid}', { path: { cid: id } })
      this.queue = q.restored(q.came(this.queue, { key: candidate.id, candidate }), [candidate.id])
      this.total = this.queue.items.length
      this.turn++
      // It is asked with others, or others with it: only the whole queue says how.
      if (candidate.settled || candidate.settles?.length) this.#again()
    } catch (thrown) {
      // It came and went: another look says what is there.
      if (Problem.of(thrown).status === 404) this.#left([id])
      else this.#again()
    }
  }

  #left(ids: string[]): void {
    const here = this.queue.here
    const mine = this.queue.under
    if (ids.includes(here) && !mine.has(here) && this.item) this.#lost(here)
    this.queue = q.left(this.queue, ids, this.editing === here && !!here)
    this.total = this.queue.items.length
    this.turn++
    if (q.isTorn(this.queue)) this.#again()
  }

  #lost(key: string): void {
    if (this.editing === key) {
      this.notes.set(key, { text: 'It was decided elsewhere while you edited it.', hint: 'Your text is still here: propose it anew, or copy it.' })
    } else toasts.say(`${key} was decided elsewhere.`)
  }

  /** Changes come in bursts; one look is enough for all. */
  #again(wait = TOGETHER): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      void this.read()
    }, wait)
  }

  // Where the person is

  move(step: number): void {
    this.queue = q.moved(this.queue, this.shown, step)
  }

  /** The next candidate of the question that is read. */
  next(): void {
    this.queue = q.turned(this.queue)
  }

  goTo(key: string): void {
    this.queue = q.at(this.queue, key)
  }

  toggle(key: string): void {
    this.queue = q.toggled(this.queue, key)
  }

  range(key: string): void {
    this.queue = q.ranged(this.queue, this.shown, key)
  }

  select(items: readonly q.Item[]): void {
    this.queue = q.selectedAll(this.queue, items)
  }

  clear(): void {
    this.queue = q.cleared(this.queue)
  }

  /** The selected ones, or the one that is read. */
  get meant(): string[] {
    const selected = q.candidatesOf(this.shown).filter((key) => this.queue.selected.has(key))
    return selected.length ? selected : this.item?.candidate ? [this.item.key] : []
  }

  // Decisions

  /** What one settles goes with it: the server says what that was, and one undo brings back all. */
  accept(keys: string[], scope: '' | 'user' = ''): Promise<boolean> {
    const all = q.withSettled(this.queue, keys)
    if (keys.length === 1) {
      const body = { scope, again: false, answer: null, against: '' }
      return this.#decide(keys, () => here.ask('post', 'candidates/{cid}/accept', { path: { cid: keys[0]! }, body }), all)
    }
    return this.#decide(keys, () => here.ask('post', 'candidates', { body: bulk('accept', keys, '', scope) }), all)
  }

  reject(keys: string[], because: string): Promise<boolean> {
    const all = q.withSettled(this.queue, keys, 'repeats')
    if (keys.length === 1) {
      return this.#decide(keys, () => here.ask('post', 'candidates/{cid}/reject', { path: { cid: keys[0]! }, body: { because } }), all)
    }
    return this.#decide(keys, () => here.ask('post', 'candidates', { body: bulk('reject', keys, because, '') }), all)
  }

  /** Fold others into one: a candidate of the queue or a memory. */
  merge(keys: string[], into: string): Promise<boolean> {
    const others = keys.filter((key) => key !== into)
    return this.#decide(others, () => here.ask('post', 'candidates/{cid}/merge', { path: { cid: others[0]! }, body: { ids: others, into } }))
  }

  /** Accept, and answer what it contradicts; of a pair that holds already, answer that. */
  answer(item: q.Item, answer: Answer): Promise<boolean> {
    if (item.pair) {
      const body = { against: item.pair.old, answer }
      return this.#decide([item.key], () => here.ask('post', 'candidates/{cid}/resolve', { path: { cid: item.pair.new }, body }))
    }
    const body = { scope: '' as const, again: false, answer, against: '' }
    const all = q.withSettled(this.queue, [item.key])
    return this.#decide([item.key], () => here.ask('post', 'candidates/{cid}/accept', { path: { cid: item.key }, body }), all)
  }

  /** Take one batch back, by its id; else the last one, also where the command line made it. */
  undo = (batch = ''): Promise<void> =>
    this.#inTurn(async () => {
      try {
        const { verb, ids } = await undo(batch)
        toasts.say(`Undone: ${verb} of ${count(ids.length)}.`, { tone: 'good' })
        this.queue = q.restored(this.queue, this.queue.under)
        await this.read()
        const back = ids.find((id) => this.queue.items.some((item) => item.key === id))
        if (back) this.goTo(back)
      } catch (thrown) {
        toasts.failed(thrown)
      }
    })

  /** Out of sight at once; back in its place, with the reason, when the server says no. */
  #decide(keys: string[], run: () => Promise<Answered<Reviewed>>, all = keys): Promise<boolean> {
    if (!keys.length) return Promise.resolve(false)
    const back = keys.includes(this.queue.here) ? this.queue.here : keys[0]!
    for (const key of keys) this.notes.delete(key)
    this.queue = q.decided(this.queue, all, this.filter)
    return this.#inTurn(async () => {
      try {
        const { data, batch } = await run()
        return this.#settle(keys, data, back, all, batch)
      } catch (thrown) {
        this.#refused(keys, Problem.of(thrown), back, all)
        return false
      }
    })
  }

  #settle(keys: string[], reviewed: Reviewed, back: string, all: string[], batch: string): boolean {
    const blocked = reviewed.blocked.map((one) => one.id)
    const done = keys.filter((key) => !blocked.includes(key))
    // The server knows what went with them; what did not is back in sight.
    const gone = [...done, ...reviewed.settled.map((one) => one.id), ...reviewed.rejected]
    this.queue = q.left(q.restored(this.queue, all, blocked.length ? back : ''), gone)
    if (q.isTorn(this.queue)) this.#again()
    this.total = this.queue.items.length
    for (const one of reviewed.blocked) {
      const others = one.conflicts.map((other) => other.id).join(', ')
      this.notes.set(one.id, { text: `Not accepted: it contradicts ${others || 'a memory that holds'}.`, hint: CHOOSE })
    }
    if (blocked.includes(back)) this.goTo(back)
    this.#say(reviewed, done.length, blocked.length, undoing(batch, this.undo))
    return !blocked.length
  }

  #say(reviewed: Reviewed, done: number, blocked: number, action: Action | undefined): void {
    const left = blocked ? `${count(blocked)} left: in conflict with what holds.` : ''
    const hint = [settledWords(reviewed), left].filter(Boolean).join(' ')
    if (done || !blocked) toasts.say(wordsFor(reviewed, done), { tone: 'good', hint, action })
    else toasts.say(left)
  }

  #refused(keys: string[], problem: Problem, back: string, all: string[]): void {
    if (problem.status === 404) {
      // Somebody was faster. It is gone, and that is said, not hidden.
      this.queue = q.left(q.restored(this.queue, all), keys.length === 1 ? keys : [])
      toasts.say(problem.message, { tone: 'bad', hint: keys.length === 1 ? 'Somebody else decided it first. Nothing was changed by you.' : problem.hint, lasts: 12000 })
      return void this.read()
    }
    this.queue = q.restored(this.queue, all, back)
    this.notes.set(back, { text: problem.message, hint: problem.status === 409 ? CHOOSE : problem.hint })
    toasts.say(problem.message, { tone: 'bad', lasts: 10000 })
    this.turn++
    this.#again()
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#last.then(run, run)
    this.#last = next.catch(() => undefined)
    return next
  }
}

async function pairsOf(signal: AbortSignal): Promise<readonly ConflictRow[]> {
  return here.get('conflicts', { signal })
}

function bulk(verb: 'accept' | 'reject', ids: string[], because: string, scope: '' | 'user') {
  return { verb, ids, all: false, types: [], session: '', minConfidence: 0, saidBy: [], words: '', because, scope }
}

function wordsFor(reviewed: Reviewed, done: number): string {
  const first = reviewed.accepted[0]
  if (reviewed.accepted.length === 1 && first) return `Accepted as ${first.memory.id}.`
  if (reviewed.accepted.length) return `Accepted ${count(reviewed.accepted.length)}.`
  if (reviewed.merged.length) return `Merged ${count(reviewed.merged.length)}.`
  if (reviewed.rejected.length) return `Rejected ${count(reviewed.rejected.length)}.`
  return reviewed.memory ? 'Resolved.' : `Done: ${count(done)}.`
}

/** What left the queue with what was accepted. */
function settledWords({ settled }: Reviewed): string {
  const repeats = settled.filter((one) => one.how === 'repeats').length
  const parts = [
    repeats ? `${count(repeats)} that ${repeats === 1 ? 'says' : 'say'} the same` : '',
    settled.length > repeats ? `${count(settled.length - repeats)} that it takes back` : '',
  ].filter(Boolean)
  return parts.length ? `With it went ${parts.join(' and ')}.` : ''
}

function count(number: number): string {
  return number === 1 ? 'one' : number.toLocaleString('en')
}
