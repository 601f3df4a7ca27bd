import { oneLine } from '../../parts/plain'
import type { Told } from './run'

/** What runs and their events are called on the page. */
export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad'

const STATUSES: Record<string, [string, Tone]> = {
  running: ['running', 'accent'],
  planned: ['planned only', 'plain'],
  complete: ['complete', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'warn'],
  interrupted: ['interrupted', 'warn'],
  open: ['conversation', 'plain'],
}

export function statusOf(status: string): { words: string; tone: Tone } {
  const [words, tone] = STATUSES[status] ?? [status, 'plain']
  return { words, tone }
}

export const GROUPS = ['phases', 'tasks', 'checks', 'memory', 'asking', 'trouble'] as const
export type Group = (typeof GROUPS)[number]

const OF: Record<string, [Group, string]> = {
  orient: ['phases', 'Oriented'],
  plan_start: ['phases', 'Planning'],
  plan_complete: ['phases', 'Planned'],
  task_start: ['tasks', 'Task begun'],
  task_complete: ['tasks', 'Task ended'],
  validation_start: ['checks', 'Check begun'],
  validation_passed: ['checks', 'Check passed'],
  validation_failed: ['checks', 'Check failed'],
  decision_made: ['memory', 'Decision'],
  learning_added: ['memory', 'Learning'],
  failure_recorded: ['memory', 'Failure'],
  briefing_updated: ['memory', 'Briefing'],
  approval_needed: ['asking', 'Asks you'],
  approval_given: ['asking', 'Answered'],
  signal: ['trouble', 'Signal'],
  error: ['trouble', 'Error'],
  cancelled: ['phases', 'Cancelled'],
  complete: ['phases', 'Over'],
}

export function groupOf(type: string): Group {
  return OF[type]?.[0] ?? 'trouble'
}

export function nameOf(type: string): string {
  return OF[type]?.[1] ?? type
}

export function toneOf(event: Told): Tone {
  const { type, data } = event
  if (type === 'error' || type === 'validation_failed' || (type === 'task_complete' && data.success === false)) return 'bad'
  if (type === 'validation_passed' || (type === 'task_complete' && data.success === true)) return 'good'
  if (type === 'cancelled' || type === 'approval_needed' || (type === 'signal' && data.level === 'warning')) return 'warn'
  if (type === 'complete') return data.success === true ? 'good' : 'bad'
  return 'plain'
}

/** One line of what an event says. */
export function said(event: Told): string {
  const { type, data } = event
  const word = (name: string) => (typeof data[name] === 'string' ? oneLine(data[name]) : '')
  const count = (name: string) => (Array.isArray(data[name]) ? data[name].length : Number(data[name]) || 0)
  switch (type) {
    case 'orient':
      return counted([[count('constraints'), 'constraint'], [count('dead_ends'), 'dead end'], [count('learnings'), 'learning'], [count('patterns'), 'pattern']]) || 'nothing known of this goal'
    case 'plan_start':
      return [word('planner'), data.resumed === true ? 'goes on with its plan' : ''].filter(Boolean).join(', ')
    case 'plan_complete':
      return [counted([[count('tasks'), 'task'], [count('gates'), 'check']]), word('approach')].filter(Boolean).join(': ')
    case 'task_start':
      return join(word('task_id'), word('description'))
    case 'task_complete':
      return join(word('task_id'), word('error') || word('summary') || counted([[count('files'), 'file']]))
    case 'validation_start':
      return join(word('gate'), word('command'))
    case 'validation_passed':
      return join(word('gate'), data.seconds ? `${Number(data.seconds).toFixed(1)} s` : '')
    case 'validation_failed':
      return join(word('gate'), word('error'))
    case 'decision_made':
    case 'learning_added':
    case 'failure_recorded':
      return candidate(data.candidate)
    case 'briefing_updated':
      return word('title') || word('next_action')
    case 'complete':
      return word('why') || counted([[count('done'), 'task'], [count('files'), 'file']])
    default:
      return word('message') || word('what') || word('answer')
  }
}

function candidate(value: unknown): string {
  const row = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  return join(typeof row.id === 'string' ? row.id : '', typeof row.title === 'string' ? oneLine(row.title) : '')
}

function join(head: string, rest: string): string {
  return head && rest ? `${head}: ${rest}` : head || rest
}

export function counted(list: readonly (readonly [number, string])[]): string {
  return list
    .filter(([number]) => number)
    .map(([number, word]) => `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`)
    .join(', ')
}

export function lasted(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return both(`${minutes} min`, Math.floor(seconds % 60), 's')
  return both(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min')
}

function both(large: string, small: number, unit: string): string {
  return small ? `${large} ${small} ${unit}` : large
}

/** A unified diff, file by file. A line of a hunk that looks like a file's name is still a line: hunks say their length. */
export function filesOf(diff: string): { path: string; patch: string }[] {
  const found: { path: string; lines: string[] }[] = []
  let before = ''
  let gone = 0
  let added = 0
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (gone > 0 || added > 0) {
      if (!line.startsWith('+') && !line.startsWith('\\')) gone -= 1
      if (!line.startsWith('-') && !line.startsWith('\\')) added -= 1
      found.at(-1)?.lines.push(line)
    } else if (hunk) {
      gone = Number(hunk[1] ?? 1)
      added = Number(hunk[2] ?? 1)
      found.at(-1)?.lines.push(line)
    } else if (line.startsWith('--- ')) before = nameIn(line)
    else if (line.startsWith('+++ ')) found.push({ path: named(before, nameIn(line)), lines: [] })
  }
  return found.map(({ path, lines }) => ({ path, patch: lines.join('\n') }))
}

function named(before: string, after: string): string {
  return after === '/dev/null' ? before : after
}

function nameIn(line: string): string {
  const name = (line.slice(4).split('\t')[0] ?? '').replace(/^"(.*)"$/, '$1')
  return name.replace(/^[ab]\//, '')
}
