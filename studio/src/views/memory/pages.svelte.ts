import type { Answered } from '../../api/client'
import { Problem } from '../../api/problem'

type Ask<T> = (at: number, signal: AbortSignal) => Promise<Answered<T[]>>

/** A long list of which only those pages are loaded that are looked at: a leap to its end asks for the end alone. */
export class Pages<T> {
  total = $state(0)
  problem = $state.raw<Problem | undefined>(undefined)
  /** Whether a first answer is there. */
  begun = $state(false)
  #ask: Ask<T>
  #size: number
  #ahead: number
  #from = 0
  #to = 0
  #loaded = new Set<number>()
  #under: AbortController | undefined
  #running = false
  // Filled in place: to copy a hundred thousand rows for each page would be seen while one scrolls.
  #rows: (T | undefined)[] = []
  #fillings = $state(0)

  /** `size`: of a page. `ahead`: how many rows beyond those in sight are loaded too. */
  constructor(ask: Ask<T>, { size, ahead }: { size: number; ahead: number }) {
    this.#ask = ask
    this.#size = size
    this.#ahead = ahead
  }

  /** Rows at their places; undefined where none was loaded. */
  get rows(): readonly (T | undefined)[] {
    void this.#fillings
    return this.#rows
  }

  /**
   * Ask anew. What is shown stays until the answer is there; with `keep` those rows are asked for that are looked at,
   * so that a change elsewhere does not take them from under the reader.
   */
  begin = async (keep = false): Promise<void> => {
    this.stop()
    const own = (this.#under = new AbortController())
    if (!keep) this.#from = this.#to = 0
    const pages = [...new Set([this.#page(this.#from), this.#page(Math.max(this.#from, this.#to - 1))])]
    try {
      const answers = await Promise.all(pages.map((page) => this.#ask(page * this.#size, own.signal)))
      if (own.signal.aborted) return
      this.#loaded = new Set()
      this.#rows = []
      answers.forEach((answer, at) => this.#put(pages[at] ?? 0, answer))
      this.problem = undefined
      this.begun = true
      void this.#go(own)
    } catch (thrown) {
      if (!own.signal.aborted) this.problem = Problem.of(thrown)
    }
  }

  /** Rows from one to before another will be looked at. */
  need(from: number, to: number): void {
    this.#from = from
    this.#to = to
    if (this.#under && this.begun) void this.#go(this.#under)
  }

  stop(): void {
    this.#under?.abort()
    this.#running = false
  }

  async #go(own: AbortController): Promise<void> {
    if (this.#running) return
    this.#running = true
    try {
      // One at a time, and after each a new look at what is in sight by now: who drags the bar asks for few.
      for (let page = this.#missing(); page >= 0 && !own.signal.aborted; page = this.#missing()) {
        const answer = await this.#ask(page * this.#size, own.signal)
        if (own.signal.aborted) return
        this.#put(page, answer)
      }
    } catch (thrown) {
      if (!own.signal.aborted) this.problem = Problem.of(thrown)
    }
    if (this.#under === own) this.#running = false
  }

  /** The page to load next: one in sight, else one below, else one above; -1 where nothing is missing. */
  #missing(): number {
    const last = this.total - 1
    for (const row of [this.#from, this.#to - 1, this.#to + this.#ahead, this.#from - this.#ahead]) {
      const page = this.#page(Math.max(0, Math.min(row, last)))
      if (last >= 0 && !this.#loaded.has(page)) return page
    }
    return -1
  }

  #page(row: number): number {
    return Math.floor(row / this.#size)
  }

  #put(page: number, { data, total }: Answered<T[]>): void {
    const begin = page * this.#size
    const all = total ?? begin + data.length
    if (!this.#rows.length) this.#rows = new Array<T | undefined>(all)
    this.#rows.length = all
    data.forEach((row, at) => (this.#rows[begin + at] = row))
    this.#loaded.add(page)
    this.#fillings += 1
    this.total = all
  }
}
