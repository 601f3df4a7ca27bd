import { here } from '../../api/client'
import { Problem } from '../../api/problem'
import { toasts } from '../../state/toasts.svelte'
import { DOES, isSaid, moved, placesOf, whyNot, withMark, type Mark, type Place, type Told, type ToldMemory, type Verdict } from './told'

/** What a session was told, the memory that is looked at, and what a person says of it. */
export class ToldReader {
  told = $state.raw<Told | undefined>(undefined)
  problem = $state.raw<Problem | undefined>(undefined)
  /** The key of the memory that is looked at. */
  here = $state('')
  readonly sid: string
  places = $derived<Place[]>(this.told ? placesOf(this.told) : [])
  place = $derived(this.places.find((one) => one.key === this.here))
  #under: AbortController | undefined
  // Words reach the server in the order in which they were said.
  #last: Promise<unknown> = Promise.resolve()

  constructor(sid: string) {
    this.sid = sid
  }

  /** Read it; what is shown stays until there is an answer. */
  read = async (): Promise<void> => {
    this.stop()
    const { signal } = (this.#under = new AbortController())
    try {
      const told = await here.get('injections/{sid}', { path: { sid: this.sid }, signal })
      if (signal.aborted) return
      this.told = told
      this.problem = undefined
      if (!this.place) this.here = this.places[0]?.key ?? ''
    } catch (thrown) {
      if (!signal.aborted) this.problem = Problem.of(thrown)
    }
  }

  stop(): void {
    this.#under?.abort()
  }

  move(step: 1 | -1): Place | undefined {
    const to = moved(this.places, this.here, step)
    if (to) this.here = to.key
    return to
  }

  /** Say something of a memory. The toast's Undo takes back this word and no other. */
  mark(memory: ToldMemory, verdict: Verdict): Promise<void> {
    return this.#inTurn(async () => {
      const name = memory.now
      const now = this.places.find((one) => one.memory.now === name)?.memory ?? memory
      const why = whyNot(now)
      if (why) return toasts.say(why)
      if (isSaid(now, verdict)) return toasts.say(verdict === 'none' ? `Nothing was said of ${name}.` : `${name} ${DOES[verdict]} You said so already.`)
      try {
        const mark = await here.post('memory/{mid}/injection-marks', { path: { mid: name }, body: { verdict, session: this.told?.session ?? '' } })
        this.#take(mark)
        const action = { label: 'Undo', run: () => void this.undo(mark) }
        toasts.say(`${name} ${DOES[verdict]}`, { tone: 'good', hint: memory.title, action, lasts: 10000 })
      } catch (thrown) {
        toasts.failed(thrown)
      }
    })
  }

  undo(mark: Mark): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const now = await here.delete('memory/{mid}/injection-marks/{mark}', { path: { mid: mark.id, mark: mark.mark } })
        this.#take(now)
        toasts.say(`Undone for ${mark.id}: ${now.marked ? `still said of it: ${now.marked}` : 'nothing is said of it'}.`, { tone: 'good' })
      } catch (thrown) {
        toasts.failed(thrown)
      }
    })
  }

  #take(mark: Mark): void {
    if (this.told) this.told = withMark(this.told, mark)
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const next = this.#last.then(run, run)
    this.#last = next
    return next
  }
}
