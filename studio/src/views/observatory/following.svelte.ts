import { here, type Shape } from '../../api/client'
import { Stream, type Message } from '../../api/live.svelte'
import { Problem } from '../../api/problem'
import { router } from '../../state/router.svelte'
import { after, nothing, step, type RunState, type Told } from './run'

const PAGE = 1000
const TOGETHER = 60
const NOT_EVENTS = new Set(['snapshot', 'resumed', 'run_started', 'run_complete'])

/** One run that is looked at: what the server says of it, and its events, live while it runs. */
export class Following {
  detail = $state.raw<Shape<'RunDetail'> | undefined>(undefined)
  events = $state.raw<readonly Told[]>([])
  run = $state.raw<RunState>(nothing)
  problem = $state.raw<Problem | undefined>(undefined)
  /** Whether all events so far are here. */
  whole = $state(false)
  readonly stream = new Stream()
  readonly rid: string
  #under = new AbortController()
  #waiting: Told[] = []
  #soon: ReturnType<typeof setTimeout> | undefined

  constructor(rid: string) {
    this.rid = rid
    this.stream.on('*', (message) => this.#take(message))
  }

  get status(): string {
    return this.detail?.run.status ?? 'running'
  }

  get live(): boolean {
    return this.status === 'running'
  }

  /** `going`: it was just resumed, whatever its files say yet. */
  begin = async (going = false): Promise<void> => {
    this.problem = undefined
    try {
      await this.look()
      if (this.live || going) this.stream.open(`/api/workspace/${encodeURIComponent(router.wid)}/run/${encodeURIComponent(this.rid)}/events`)
      else await this.#read()
    } catch (thrown) {
      const problem = Problem.of(thrown)
      if (!problem.aborted) this.problem = problem
    }
  }

  /** What the server says of it now. */
  look = async (): Promise<void> => {
    const found = await here.get('runs/{rid}', { path: { rid: this.rid }, signal: this.#under.signal })
    if (!this.#under.signal.aborted) this.detail = found
  }

  end(): void {
    this.#under.abort()
    clearTimeout(this.#soon)
    this.stream.close()
  }

  answered(approvalId: string): void {
    this.run = step(this.run, { type: 'approval_given', data: { approvalId }, ts: '', cursor: '' })
  }

  async #read(): Promise<void> {
    let cursor = ''
    const events: Told[] = []
    do {
      const page = await here.ask('get', 'runs/{rid}/events', {
        path: { rid: this.rid },
        query: { cursor, limit: PAGE },
        signal: this.#under.signal,
      })
      events.push(...page.data)
      cursor = page.next
    } while (cursor)
    this.#all(events)
  }

  #all(events: readonly Told[]): void {
    this.events = events
    this.run = after(events)
    this.whole = true
  }

  #take(message: Message): void {
    if (message.type === 'snapshot') {
      this.#waiting = []
      const { run, events } = message.data as unknown as Shape<'RunSnapshot'>
      if (this.detail) this.detail = { ...this.detail, run }
      this.#all(events)
    } else if (message.type === 'run_complete') void this.#over()
    else if (!NOT_EVENTS.has(message.type)) {
      this.#waiting.push(message)
      this.#soon ??= setTimeout(() => this.#flush(), TOGETHER)
    }
  }

  /** Many events in a moment are drawn once. */
  #flush(): void {
    clearTimeout(this.#soon)
    this.#soon = undefined
    const more = this.#waiting
    this.#waiting = []
    this.events = [...this.events, ...more]
    this.run = after(more, this.run)
    if (this.run.over || !this.live) void this.#over()
  }

  async #over(): Promise<void> {
    try {
      await this.look()
      if (this.run.over && !this.live) this.stream.close()
    } catch {
      // The stream goes on and tells it again.
    }
  }
}
