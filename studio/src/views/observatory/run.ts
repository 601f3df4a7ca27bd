/** A run as its events tell it: phases, tasks, gates, what memory gave and got. Pure: the same events, the same run. */
export interface Told {
  type: string
  data: Record<string, unknown>
  ts: string
  cursor: string
}

export const PHASES = ['orient', 'plan', 'execute', 'validate', 'learn'] as const
export type Phase = (typeof PHASES)[number]
export type PhaseState = 'waiting' | 'active' | 'done' | 'failed' | 'skipped'
export type TaskState = 'waiting' | 'running' | 'done' | 'failed'

export interface Task {
  id: string
  description: string
  mode: string
  targetPath: string
  dependsOn: string[]
  produces: string[]
  state: TaskState
  summary: string
  error: string
  files: string[]
  durationMs: number
}

export interface Gate {
  name: string
  command: string
  state: 'waiting' | 'running' | 'passed' | 'failed'
  seconds: number
  error: string
  /** How often it was run. */
  tries: number
}

export interface Criterion {
  text: string
  anti: boolean
  met: boolean | null
  evidence: string
}

export interface Added {
  id: string
  type: string
  title: string
}

export interface Approval {
  approvalId: string
  what: string
  diff: string
  command: string
  why: string
}

export interface Turned {
  stance: string
  why: string
  score: number | undefined
}

export interface Budget {
  tokens: number
  spentTokens: number
  cents: number
  spentCents: number
  seconds: number
  elapsed: number
  attempts: number
  tried: number
}

export interface RunState {
  phase: Phase
  /** When each phase was first heard of. */
  since: Partial<Record<Phase, string>>
  over: boolean
  success: boolean | undefined
  why: string
  hint: string
  approach: string
  stance: string
  turnedDown: Turned[]
  tasks: Task[]
  gates: Gate[]
  criteria: Criterion[]
  used: string[]
  added: Added[]
  approvals: Approval[]
  budget: Budget | undefined
  files: string[]
}

export const nothing: RunState = {
  phase: 'orient',
  since: {},
  over: false,
  success: undefined,
  why: '',
  hint: '',
  approach: '',
  stance: '',
  turnedDown: [],
  tasks: [],
  gates: [],
  criteria: [],
  used: [],
  added: [],
  approvals: [],
  budget: undefined,
  files: [],
}

/** The run after one more event. What is not known is left alone. */
export function step(run: RunState, event: Told): RunState {
  const { data } = event
  switch (event.type) {
    case 'orient':
      return { ...begun(run, event.ts), used: union(run.used, texts(data.ids)) }
    case 'plan_start':
      return at(run, 'plan', event.ts)
    case 'plan_complete':
      return planned(at(run, 'plan', event.ts), data)
    case 'task_start':
      return withTask(at(run, 'execute', event.ts), text(data.task_id), {
        state: 'running',
        description: text(data.description),
        mode: text(data.mode),
      })
    case 'task_complete':
      return taskDone(run, data)
    case 'validation_start':
      return gateRuns(at(run, 'validate', event.ts), data)
    case 'validation_passed':
      return withGate(run, text(data.gate), { state: 'passed', seconds: number(data.seconds), error: '' })
    case 'validation_failed':
      return withGate(run, text(data.gate), { state: 'failed', error: text(data.error) })
    case 'decision_made':
    case 'learning_added':
    case 'failure_recorded':
      return learned(at(run, 'learn', event.ts), data)
    case 'briefing_updated':
      return at(run, 'learn', event.ts)
    case 'approval_needed':
      return asked(run, data)
    case 'approval_given':
      return { ...run, approvals: run.approvals.filter((one) => one.approvalId !== approvalId(data)) }
    case 'complete':
      return ended(run, data)
    case 'cancelled':
      return { ...run, over: true, why: text(data.message), approvals: [] }
    case 'error':
      return { ...run, over: true, success: false, why: text(data.message), hint: text(data.hint), approvals: [] }
    default:
      return run
  }
}

export function after(events: readonly Told[], from: RunState = nothing): RunState {
  return events.reduce(step, from)
}

/** How a phase stands. `status` is the run's own, which also says that it was cancelled or only planned. */
export function phaseState(run: RunState, phase: Phase, status: string): PhaseState {
  const own = PHASES.indexOf(phase)
  const reached = PHASES.indexOf(run.phase)
  const stopped = run.over || !['running', 'open'].includes(status)
  if (own < reached) return phase === 'validate' && gatesFail(run) ? 'failed' : 'done'
  if (own > reached) return stopped ? 'skipped' : 'waiting'
  if (!stopped) return 'active'
  if (status === 'planned' || status === 'complete') return 'done'
  return run.success === false && phase === 'learn' ? 'done' : 'failed'
}

/** Tasks with how deep they stand below what they depend on: each below the last of its dependencies. */
export function taskTree(tasks: readonly Task[]): { task: Task; depth: number }[] {
  const known = new Map(tasks.map((task) => [task.id, task]))
  const depths = new Map<string, number>()
  const depth = (id: string, above: Set<string>): number => {
    const found = depths.get(id)
    if (found !== undefined) return found
    const needs = (known.get(id)?.dependsOn ?? []).filter((need) => known.has(need) && !above.has(need))
    const own = needs.length ? 1 + Math.max(...needs.map((need) => depth(need, new Set([...above, id])))) : 0
    depths.set(id, own)
    return own
  }
  return tasks.map((task) => ({ task, depth: depth(task.id, new Set()) }))
}

/** How much of a limit is spent, 0 to 1; undefined where there is no limit. */
export function spent(used: number, limit: number): number | undefined {
  return limit > 0 ? Math.min(1, used / limit) : undefined
}

function begun(run: RunState, ts: string): RunState {
  // A run that goes on orients itself again: it is not over any more, and its plan holds.
  return { ...run, phase: 'orient', since: { orient: ts }, over: false, success: undefined, why: '', hint: '' }
}

function at(run: RunState, phase: Phase, ts: string): RunState {
  // Mending is done by tasks too: the run does not go back to an earlier phase for it.
  if (PHASES.indexOf(phase) < PHASES.indexOf(run.phase)) return run
  return { ...run, phase, since: run.since[phase] ? run.since : { ...run.since, [phase]: ts } }
}

function planned(run: RunState, data: Record<string, unknown>): RunState {
  const before = new Map(run.tasks.map((task) => [task.id, task]))
  const tasks = rows(data.tasks).map((row): Task => {
    const known = before.get(text(row.id))
    return {
      ...(known ?? blank(text(row.id))),
      description: text(row.description),
      mode: text(row.mode),
      targetPath: text(row.target_path),
      dependsOn: texts(row.depends_on),
      produces: texts(row.produces),
    }
  })
  const criteria = [
    ...texts(data.criteria).map((one) => open(one, false)),
    ...texts(data.anti_criteria).map((one) => open(one, true)),
  ]
  const gates = texts(data.gates).map((name) => run.gates.find((gate) => gate.name === name) ?? quiet(name))
  const turnedDown = rows(data.rejected_plans).map((row) => ({
    stance: text(row.stance),
    why: text(row.why),
    score: typeof row.score === 'number' ? row.score : undefined,
  }))
  return { ...run, tasks, criteria, gates, turnedDown, approach: text(data.approach), stance: text(data.stance) }
}

function taskDone(run: RunState, data: Record<string, unknown>): RunState {
  const files = texts(data.files)
  const done = withTask(run, text(data.task_id), {
    state: data.success === true ? 'done' : 'failed',
    summary: text(data.summary),
    error: text(data.error),
    files,
    durationMs: number(data.duration_ms),
  })
  return { ...done, files: union(run.files, files), budget: budgetOf(data.budget) ?? run.budget }
}

function withTask(run: RunState, id: string, changes: Partial<Task>): RunState {
  if (!id) return run
  const there = run.tasks.some((task) => task.id === id)
  const filled = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== ''))
  const tasks = there ? run.tasks : [...run.tasks, blank(id)]
  return { ...run, tasks: tasks.map((task) => (task.id === id ? { ...task, ...filled } : task)) }
}

function gateRuns(run: RunState, data: Record<string, unknown>): RunState {
  const name = text(data.gate)
  const tries = (run.gates.find((gate) => gate.name === name)?.tries ?? 0) + 1
  return withGate(run, name, { state: 'running', command: text(data.command), tries })
}

function withGate(run: RunState, name: string, changes: Partial<Gate>): RunState {
  if (!name) return run
  const gates = run.gates.some((gate) => gate.name === name) ? run.gates : [...run.gates, quiet(name)]
  return { ...run, gates: gates.map((gate) => (gate.name === name ? { ...gate, ...changes } : gate)) }
}

function learned(run: RunState, data: Record<string, unknown>): RunState {
  const memory = record(data.candidate)
  const id = text(memory.id)
  if (!id || run.added.some((one) => one.id === id)) return run
  return { ...run, added: [...run.added, { id, type: text(memory.type), title: text(memory.title) }] }
}

function asked(run: RunState, data: Record<string, unknown>): RunState {
  const id = approvalId(data)
  if (!id || run.approvals.some((one) => one.approvalId === id)) return run
  const made = { approvalId: id, what: text(data.what), diff: text(data.diff), command: text(data.command), why: text(data.why) }
  return { ...run, approvals: [...run.approvals, made] }
}

function ended(run: RunState, data: Record<string, unknown>): RunState {
  const told = rows(data.criteria).map(
    (row): Criterion => ({
      text: text(row.text),
      anti: row.anti === true,
      met: typeof row.met === 'boolean' ? row.met : null,
      evidence: text(row.evidence),
    }),
  )
  return {
    ...run,
    over: true,
    success: data.success === true,
    why: text(data.why),
    approvals: [],
    criteria: told.length ? told : run.criteria,
    files: union(run.files, texts(data.files)),
    budget: budgetOf(data.budget) ?? run.budget,
  }
}

function gatesFail(run: RunState): boolean {
  return run.gates.some((gate) => gate.state === 'failed') || run.criteria.some((one) => one.met === false)
}

export function budgetOf(value: unknown): Budget | undefined {
  const row = record(value)
  if (!Object.keys(row).length) return undefined
  const of = (snake: string, camel: string) => number(row[snake] ?? row[camel])
  return {
    tokens: of('tokens', 'tokens'),
    spentTokens: of('spent_tokens', 'spentTokens'),
    cents: of('cents', 'cents'),
    spentCents: of('spent_cents', 'spentCents'),
    seconds: of('seconds', 'seconds'),
    elapsed: of('elapsed', 'elapsed'),
    attempts: of('attempts', 'attempts'),
    tried: of('tried', 'tried'),
  }
}

function approvalId(data: Record<string, unknown>): string {
  return text(data.approvalId ?? data.approval_id)
}

function blank(id: string): Task {
  return {
    id, description: '', mode: '', targetPath: '', dependsOn: [], produces: [],
    state: 'waiting', summary: '', error: '', files: [], durationMs: 0,
  }
}

function quiet(name: string): Gate {
  return { name, command: '', state: 'waiting', seconds: 0, error: '', tries: 0 }
}

function open(words: string, anti: boolean): Criterion {
  return { text: words, anti, met: null, evidence: '' }
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function rows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record).filter((row) => Object.keys(row).length) : []
}
