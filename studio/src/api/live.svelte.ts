import { ticket as askTicket } from './client'
import { Problem } from './problem'

/** A message of a stream: `snapshot` or `resumed` first, then what happens. */
export interface Message {
  type: string
  cursor: string
  ts: string
  data: Record<string, unknown>
}

export type LiveState = 'off' | 'connecting' | 'open' | 'waiting' | 'refused'
type Listener = (message: Message) => void

const FIRST_WAIT = 500
const LONGEST_WAIT = 15_000
const NOT_ALLOWED = 4403

/**
 * One socket that stays: a ticket for each connection, a snapshot at first, deltas after it. After a break it goes
 * on from its cursor, so that nothing is lost or told twice; the waits between attempts grow.
 */
export class Stream {
  state = $state<LiveState>('off')
  snapshot = $state.raw<Record<string, unknown> | undefined>(undefined)
  /** When the next attempt is made, in milliseconds since 1970; 0 while none is planned. */
  again = $state(0)
  cursor = ''
  #path = ''
  #socket: WebSocket | undefined
  #wait = FIRST_WAIT
  #timer: ReturnType<typeof setTimeout> | undefined
  #round = 0
  #listeners = new Map<string, Set<Listener>>()
  #ticket: () => Promise<string>

  constructor(ticket: () => Promise<string> = askTicket) {
    this.#ticket = ticket
  }

  /** Follow this address; another one before it is left. */
  open(path: string): void {
    if (path === this.#path && this.state !== 'off') return
    this.close()
    this.#path = path
    this.cursor = ''
    this.snapshot = undefined
    void this.#connect()
  }

  close(): void {
    this.#round++
    clearTimeout(this.#timer)
    this.#socket?.close()
    this.#socket = undefined
    this.#wait = FIRST_WAIT
    this.again = 0
    this.state = 'off'
  }

  /** Not later: now. */
  retry = (): void => {
    if (this.state !== 'waiting' && this.state !== 'refused') return
    clearTimeout(this.#timer)
    this.#wait = FIRST_WAIT
    void this.#connect()
  }

  /** Be told of messages of these types ('*': all). Gives back how to stop. */
  on(types: string | readonly string[], listener: Listener): () => void {
    const wanted = typeof types === 'string' ? [types] : types
    for (const type of wanted) {
      if (!this.#listeners.has(type)) this.#listeners.set(type, new Set())
      this.#listeners.get(type)?.add(listener)
    }
    return () => {
      for (const type of wanted) this.#listeners.get(type)?.delete(listener)
    }
  }

  async #connect(): Promise<void> {
    const round = ++this.#round
    this.again = 0
    this.state = 'connecting'
    try {
      const ticket = await this.#ticket()
      if (round === this.#round) this.#listen(round, ticket)
    } catch (thrown) {
      if (round !== this.#round) return
      const status = Problem.of(thrown).status
      if (status === 401 || status === 403) this.state = 'refused'
      else this.#later()
    }
  }

  #listen(round: number, ticket: string): void {
    const query = new URLSearchParams({ ticket })
    if (this.cursor) query.set('cursor', this.cursor)
    const origin = location.origin.replace(/^http/, 'ws')
    const socket = (this.#socket = new WebSocket(`${origin}${this.#path}?${query}`))
    socket.onmessage = (event) => round === this.#round && this.#take(String(event.data))
    socket.onclose = (event) => {
      if (round !== this.#round) return
      this.#socket = undefined
      // 4401 is a ticket that grew too old; asking for the next one tells whether the token still holds.
      if (event.code === NOT_ALLOWED) this.state = 'refused'
      else this.#later()
    }
  }

  #take(text: string): void {
    const message = JSON.parse(text) as Message
    if (message.cursor) this.cursor = message.cursor
    if (message.type === 'snapshot') this.snapshot = message.data
    if (message.type === 'snapshot' || message.type === 'resumed') {
      this.state = 'open'
      this.#wait = FIRST_WAIT
    }
    for (const type of [message.type, '*']) {
      for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(message)
    }
  }

  #later(): void {
    this.state = 'waiting'
    // Half of the wait is chance: many pages do not come back in the same moment.
    const wait = this.#wait / 2 + (Math.random() * this.#wait) / 2
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT)
    this.again = Date.now() + wait
    this.#timer = setTimeout(() => void this.#connect(), wait)
  }
}

/** The open workspace's stream. */
export const live = new Stream()
