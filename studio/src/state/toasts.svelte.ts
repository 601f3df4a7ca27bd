import { Problem } from '../api/problem'

/** What was just done or failed, said briefly. */
export type Tone = 'plain' | 'good' | 'bad'

export interface Toast {
  id: number
  text: string
  hint: string
  tone: Tone
  action?: { label: string; run: () => void }
}

interface Extra {
  tone?: Tone
  hint?: string
  action?: Toast['action']
  /** Milliseconds; 0 stays until closed. */
  lasts?: number
}

const MOST = 4

class Toasts {
  shown = $state<Toast[]>([])
  #next = 1

  say(text: string, { tone = 'plain', hint = '', action, lasts = 6000 }: Extra = {}): void {
    const id = this.#next++
    this.shown = [...this.shown, { id, text, hint, tone, action }].slice(-MOST)
    if (lasts) setTimeout(() => this.close(id), lasts)
  }

  /** A failure stays longer: there is something to read and to do. */
  failed(problem: unknown): void {
    const known = Problem.of(problem)
    if (known.aborted) return
    this.say(known.message, { tone: 'bad', hint: known.hint, lasts: 15000 })
  }

  close(id: number): void {
    this.shown = this.shown.filter((toast) => toast.id !== id)
  }
}

export const toasts = new Toasts()
