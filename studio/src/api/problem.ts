import type { Shape } from './client'

/** Why the server did not do what was asked (RFC 9457), in words a person can act on. */
export interface ProblemJson {
  type?: string
  title?: string
  status?: number
  detail?: string
  instance?: string
  hint?: string | null
  errors?: { where: string; why: string }[] | null
  conflicts?: Shape<'RelationView'>[] | null
}

export class Problem extends Error {
  readonly status: number
  readonly title: string
  readonly hint: string
  readonly type: string
  /** The request's id, which stands in the server's log. */
  readonly request: string
  /** What of a request does not fit. */
  readonly errors: { where: string; why: string }[]
  /** What a candidate contradicts, where that blocks it. */
  readonly conflicts: Shape<'RelationView'>[]
  readonly aborted: boolean

  constructor(json: ProblemJson, { aborted = false } = {}) {
    super(json.detail || json.title || 'The server gave no reason.')
    this.name = 'Problem'
    this.status = json.status ?? 0
    this.title = json.title ?? 'Something failed'
    this.hint = json.hint ?? ''
    this.type = json.type ?? ''
    this.request = json.instance ?? ''
    this.errors = json.errors ?? []
    this.conflicts = json.conflicts ?? []
    this.aborted = aborted
  }

  /** 409 and 412: it changed since it was read, or it contradicts what is there. */
  get conflict(): boolean {
    return this.status === 409 || this.status === 412
  }

  static of(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown
    if (thrown instanceof DOMException && thrown.name === 'AbortError') {
      return new Problem({ title: 'Stopped', detail: 'The question was dropped.' }, { aborted: true })
    }
    return new Problem({ title: 'Studio failed', detail: thrown instanceof Error ? thrown.message : String(thrown) })
  }

  static async from(response: Response): Promise<Problem> {
    const json = await body(response)
    return new Problem({ title: response.statusText || 'The server refused', ...json, status: response.status })
  }

  static unreachable(): Problem {
    return new Problem({
      status: 0,
      title: 'The server does not answer',
      detail: 'The server does not answer.',
      hint: 'Is it running? Start it with `holdfast serve --open`, then retry.',
    })
  }
}

async function body(response: Response): Promise<ProblemJson> {
  try {
    const json: unknown = await response.json()
    return typeof json === 'object' && json !== null ? (json as ProblemJson) : {}
  } catch {
    return {} // Not JSON: something between us and the server answered. Its status says enough.
  }
}
