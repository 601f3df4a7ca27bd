import type { Answered } from '../../api/client'
import { Problem } from '../../api/problem'

type Ask<T> = (cursor: string, signal: AbortSignal) => Promise<Answered<T[]>>

/** A long list that is loaded page by page, ahead of what is looked at. */
export class Rows<T> {
  rows = $state.raw<readonly T[]>([])
  total = $state(0)
  problem = $state.raw<Problem | undefined>(undefined)
  /** Whether a first answer is there. */
  begun = $state(false)
  #ask: Ask<T>
  #next = ''
  #wanted = 0
  #under: AbortController | undefined
  #running = false

  constructor(ask: Ask<T>) {
    this.#ask = ask
  }

  /**
   * From the start. What is shown stays until the answer is there; with `keep`, until as much of it is there again as
   * is looked at, so that a change elsewhere does not take the rows from under the reader.
   */
  begin = async (keep = false): Promise<void> => {
    this.stop()
    const own = (this.#under = new AbortController())
    if (!keep) this.#wanted = 0
    const enough = keep ? Math.min(this.#wanted, this.rows.length - 1) : 0
    try {
      const rows: T[] = []
      let page: Answered<T[]>
      let cursor = ''
      do {
        page = await this.#ask(cursor, own.signal)
        if (own.signal.aborted) return
        rows.push(...page.data)
        cursor = page.next
      } while (cursor && rows.length <= enough)
      this.rows = rows
      this.total = cursor ? (page.total ?? rows.length) : rows.length
      this.#next = cursor
      this.problem = undefined
      this.begun = true
      void this.#go(own)
    } catch (thrown) {
      if (!own.signal.aborted) this.problem = Problem.of(thrown)
    }
  }

  /** Rows up to this one will be looked at. */
  need(index: number): void {
    this.#wanted = index
    if (this.#under) void this.#go(this.#under)
  }

  stop(): void {
    this.#under?.abort()
    this.#running = false
  }

  async #go(own: AbortController): Promise<void> {
    if (this.#running) return
    this.#running = true
    try {
      while (this.#next && this.rows.length <= this.#wanted && !own.signal.aborted) await this.#page(own)
    } catch (thrown) {
      if (!own.signal.aborted) this.problem = Problem.of(thrown)
    }
    if (this.#under === own) this.#running = false
  }

  async #page(own: AbortController): Promise<void> {
    const { data, next, total } = await this.#ask(this.#next, own.signal)
    if (own.signal.aborted) return
    this.rows = [...this.rows, ...data]
    this.#next = next
    // A page after a change may count anew; at the end, what is there is what counts.
    this.total = next ? Math.max(total ?? this.total, this.rows.length) : this.rows.length
  }
}
