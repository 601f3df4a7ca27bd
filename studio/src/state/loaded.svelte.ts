import { untrack } from 'svelte'

import { live } from '../api/live.svelte'
import { Problem } from '../api/problem'

/** Something asked of the server: its answer, that it is being asked, or why it failed. */
export class Loaded<T> {
  data = $state.raw<T | undefined>(undefined)
  problem = $state.raw<Problem | undefined>(undefined)
  busy = $state(true)
  #ask: (signal: AbortSignal) => Promise<T>
  #under: AbortController | undefined

  constructor(ask: (signal: AbortSignal) => Promise<T>) {
    this.#ask = ask
  }

  /** Ask again. What was there stays until the answer is; an older question still under way is dropped. */
  reload = async (): Promise<void> => {
    this.stop()
    const own = (this.#under = new AbortController())
    untrack(() => (this.busy = true))
    try {
      const data = await this.#ask(own.signal)
      if (own.signal.aborted) return
      this.data = data
      this.problem = undefined
    } catch (thrown) {
      if (own.signal.aborted) return
      this.problem = Problem.of(thrown)
    }
    this.busy = false
  }

  stop(): void {
    this.#under?.abort()
  }
}

interface Options {
  /** Ask again when one of these comes over the live stream, and when the page comes back from a long break. */
  on?: readonly string[]
}

const TOGETHER = 150

/**
 * In a component: ask now, whenever something read in `ask` (before its first await) changes,
 * and when one of the named live events comes. Events in a burst ask once. What failed is asked again when the server is back.
 */
export function load<T>(ask: (signal: AbortSignal) => Promise<T>, { on = [] }: Options = {}): Loaded<T> {
  const loaded = new Loaded(ask)
  $effect(() => {
    void loaded.reload()
    return () => loaded.stop()
  })
  $effect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      soon ??= setTimeout(() => {
        soon = undefined
        void loaded.reload()
      }, TOGETHER)
    }
    const off = [
      // A snapshot too: what happened between the first answer and the socket, or during a long break, came in no event.
      live.on(on.length ? ['snapshot', ...on] : [], again),
      // The server is back: what failed meanwhile may go now.
      live.on(['snapshot', 'resumed'], () => {
        if (loaded.problem) again()
      }),
    ]
    return () => {
      off.forEach((stop) => stop())
      clearTimeout(soon)
    }
  })
  return loaded
}
