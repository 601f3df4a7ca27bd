import type { Shape } from '../../api/client'
import { oneLine } from '../../parts/plain'

/** How a finding can be mended: a plan by name. Its changes are JSON as `holdfast curate --json` gives them. */
export interface Way {
  name: string
  about: string
  changes: unknown[]
}

export interface Field {
  name: string
  before: unknown
  after: unknown
}

/** What a plan does to one memory. `made`: it is new. */
export interface Change {
  id: string
  made: boolean
  fields: Field[]
}

export interface Score {
  score: number
  parts: { kind: string; points: number; of: number; findings: number; mend: string }[]
}

const SHOWN_OF_NEW = ['title', 'type', 'body', 'paths', 'tags', 'supersedes']
const LONGEST = 300

export function waysOf(finding: Shape<'CuratorFinding'>): Way[] {
  return finding.ways.map((way) => ({
    name: String(way.name ?? ''),
    about: String(way.about ?? ''),
    changes: Array.isArray(way.changes) ? way.changes : [],
  }))
}

export function changesOf(way: Way): Change[] {
  return way.changes.flatMap((change): Change[] => {
    if (!isRecord(change)) return []
    if (isRecord(change.create)) return [created(change.create)]
    const fields = isRecord(change.fields) ? change.fields : {}
    const each = Object.entries(fields).map(([name, pair]) => {
      const [before, after] = Array.isArray(pair) ? pair : [undefined, pair]
      return { name, before, after }
    })
    return [{ id: String(change.change ?? ''), made: false, fields: each }]
  })
}

function created(memory: Record<string, unknown>): Change {
  const fields = SHOWN_OF_NEW.filter((name) => !isEmpty(memory[name])).map((name) => ({ name, before: undefined, after: memory[name] }))
  return { id: String(memory.id ?? ''), made: true, fields }
}

export function scoreOf(curation: Shape<'CurationView'>): Score | undefined {
  const health = curation.health
  if (!isRecord(health) || typeof health.score !== 'number' || !Array.isArray(health.parts)) return undefined
  return health as unknown as Score
}

/** A value of any field in words. */
export function said(value: unknown): string {
  if (isEmpty(value)) return '–'
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return oneLine(value.join(', '), LONGEST)
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), LONGEST)
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && !value.length)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
