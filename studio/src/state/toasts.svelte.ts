import { untrack } from 'svelte'

import { Problem } from '../api/problem'
import { router } from './router.svelte'

/** What was just done or failed, said briefly. */
export type Tone = 'plain' | 'good' | 'bad'

export interface Toast {
  id: number
  text: string
  hint: string
  tone: Tone
  at: number
  action?: Action
}

export interface Action {
  label: string
  run: () => void
  /** What it takes back, by its id. Once that is taken back, here or elsewhere on the page, there is nothing to click. */
  batch?: string
}

interface Extra {
  tone?: Tone
  hint?: string
  action?: Action
  /** Milliseconds; 0 stays until closed. */
  lasts?: number
}

const MOST = 4
// What was said in the step that leads to another view is said there.
const JUST_NOW = 500

class Toasts {
  shown = $state<Toast[]>([])
  #next = 1
  #held = false
  #overdue = new Set<number>()

  say(text: string, { tone = 'plain', hint = '', action, lasts = 6000 }: Extra = {}): void {
    const id = this.#next++
    this.shown = [...this.shown, { id, text, hint, tone, action, at: Date.now() }].slice(-MOST)
    if (lasts) setTimeout(() => (this.#held ? this.#overdue.add(id) : this.close(id)), lasts)
  }

  /** A failure stays longer: there is something to read and to do. */
  failed(problem: unknown): void {
    const known = Problem.of(problem)
    if (known.aborted) return
    this.say(known.message, { tone: 'bad', hint: known.hint, lasts: 15000 })
  }

  /** While somebody points at one, none goes: what is to be clicked stays under the pointer. */
  hold(held: boolean): void {
    this.#held = held
    if (held) return
    for (const id of this.#overdue) this.close(id)
    this.#overdue.clear()
  }

  /** Run what a toast offers, once. */
  act({ id, action }: Toast): void {
    if (!this.shown.some((toast) => toast.id === id && toast.action)) return
    this.close(id)
    this.hold(false)
    action?.run()
  }

  /** A batch is taken back: what is said of it stays to be read, and offers nothing any more. */
  used(batch: string): void {
    this.shown = this.shown.map((toast) => (batch && toast.action?.batch === batch ? { ...toast, action: undefined } : toast))
  }

  close(id: number): void {
    this.shown = this.shown.filter((toast) => toast.id !== id)
  }

  /** Another view is open: what was said of the one before would cover it. */
  leave(): void {
    const since = Date.now() - JUST_NOW
    this.shown = this.shown.filter((toast) => toast.at >= since)
  }
}

export const toasts = new Toasts()

/** In the shell: a toast goes with its view. */
export function followView(): void {
  const view = $derived(`${router.wid} ${router.view}`)
  $effect(() => {
    void view
    untrack(() => toasts.leave())
  })
}
