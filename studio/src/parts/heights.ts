/** The heights of many rows, most of them guessed: where a row starts and which row is at a place, in log n. */
export class Heights {
  #tree: Float64Array
  #own: Float64Array
  readonly count: number

  /** `known`: heights of before, which rows that are still there keep. */
  constructor(count: number, guess: number, known?: Heights) {
    this.count = count
    this.#own = new Float64Array(count).fill(guess)
    if (known) this.#own.set(known.#own.subarray(0, count))
    this.#tree = new Float64Array(count + 1)
    for (let at = 1; at <= count; at++) {
      this.#tree[at] = (this.#tree[at] ?? 0) + (this.#own[at - 1] ?? 0)
      const above = at + (at & -at)
      if (above <= count) this.#tree[above] = (this.#tree[above] ?? 0) + (this.#tree[at] ?? 0)
    }
  }

  get total(): number {
    return this.top(this.count)
  }

  of(row: number): number {
    return this.#own[row] ?? 0
  }

  /** Whether it was another height before. */
  set(row: number, height: number): boolean {
    const change = height - this.of(row)
    if (!change || row < 0 || row >= this.count) return false
    this.#own[row] = height
    for (let at = row + 1; at <= this.count; at += at & -at) this.#tree[at] = (this.#tree[at] ?? 0) + change
    return true
  }

  /** Where a row starts: the sum of those above it. */
  top(row: number): number {
    let sum = 0
    for (let at = Math.min(row, this.count); at > 0; at -= at & -at) sum += this.#tree[at] ?? 0
    return sum
  }

  /** The row at a place. */
  at(place: number): number {
    let row = 0
    let left = place
    for (let step = 2 ** Math.floor(Math.log2(this.count || 1)); step; step >>= 1) {
      const next = row + step
      if (next <= this.count && (this.#tree[next] ?? 0) <= left) {
        row = next
        left -= this.#tree[next] ?? 0
      }
    }
    return Math.max(0, Math.min(row, this.count - 1))
  }
}
