import { here, type Shape } from '../../api/client'
import { Problem } from '../../api/problem'

const PAGE = 1000

/** A session that is read: its head at once, its turns page by page. */
export class Reading {
  head = $state.raw<Shape<'SessionDetail'> | undefined>(undefined)
  turns = $state.raw<readonly Shape<'TurnRow'>[]>([])
  problem = $state.raw<Problem | undefined>(undefined)
  whole = $state(false)
  readonly sid: string
  #under: AbortController | undefined

  constructor(sid: string) {
    this.sid = sid
  }

  /** From the start; what is shown stays until there is more to show. */
  begin = async (): Promise<void> => {
    this.stop()
    const { signal } = (this.#under = new AbortController())
    this.problem = undefined
    try {
      let cursor = ''
      const turns: Shape<'TurnRow'>[] = []
      do {
        const page = await here.ask('get', 'sessions/{sid}', { path: { sid: this.sid }, query: { cursor, limit: PAGE }, signal })
        if (signal.aborted) return
        turns.push(...page.data.turns)
        cursor = page.next
        this.head = page.data
        if (turns.length >= this.turns.length || !cursor) this.turns = [...turns]
      } while (cursor)
      this.whole = true
    } catch (thrown) {
      if (!signal.aborted) this.problem = Problem.of(thrown)
    }
  }

  /** The turn that an event is part of: an address may name any event of the journal. */
  async turnOf(event: string): Promise<string> {
    try {
      const page = await here.get('sessions/{sid}', { path: { sid: this.sid }, query: { turn: event, limit: 1 } })
      return page.turns[0]?.id ?? ''
    } catch {
      return ''
    }
  }

  stop(): void {
    this.#under?.abort()
  }
}
