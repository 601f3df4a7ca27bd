import type { Shape } from '../../api/client'

/** What a session was told, as its page holds it. Pure: each step gives a new one. */
export type Told = Shape<'SessionInjectionsView'>
export type Telling = Told['tellings'][number]
export type ToldMemory = Telling['memories'][number]
export type Mark = Shape<'InjectionMarkView'>
export type Verdict = Shape<'MarkInjectionBody'>['verdict']

/** One memory of one telling: what the keyboard moves over. */
export interface Place {
  key: string
  telling: number
  memory: ToldMemory
}

export function keyOf(telling: number, id: string): string {
  return `${telling} ${id}`
}

export function placesOf(told: Told): Place[] {
  const seen = new Set<string>()
  return told.tellings.flatMap((telling, index) =>
    telling.memories
      .map((memory) => ({ key: keyOf(index, memory.id), telling: index, memory }))
      .filter(({ key }) => !seen.has(key) && seen.add(key)),
  )
}

/** The place after or before one; the first where there is none yet. */
export function moved(places: readonly Place[], here: string, step: 1 | -1): Place | undefined {
  const at = places.findIndex((place) => place.key === here)
  if (at < 0) return step === 1 ? places[0] : places.at(-1)
  return places[Math.max(0, Math.min(places.length - 1, at + step))]
}

/** The same with what is now said of a memory, wherever it was told. */
export function withMark(told: Told, mark: Mark): Told {
  const { wrong, always, irrelevant, marked } = mark
  const after = (memory: ToldMemory) => (memory.now === mark.id ? { ...memory, wrong, always, irrelevant, marked } : memory)
  return { ...told, tellings: told.tellings.map((telling) => ({ ...telling, memories: telling.memories.map(after) })) }
}

const STARTS: Record<string, string> = { compact: 'After a compaction', resume: 'When it was resumed', clear: 'After it was cleared' }
const AT: Record<string, string> = {
  prompt: 'For a prompt',
  subagent_start: 'To a subagent',
  before_compact: 'Before a compaction',
}

/** For which event something was told, in words. */
export function whatFor({ at, cause }: Pick<Telling, 'at' | 'cause'>): string {
  if (at === 'session_start') return STARTS[cause] ?? 'At the start'
  if (at === 'before_tool') return cause ? `Before ${cause}` : 'Before a tool'
  return AT[at] ?? at
}

/** What a word does, as the toast says it. */
export const DOES: Record<Verdict, string> = {
  wrong: 'is told to no agent any more.',
  irrelevant: 'will be told less readily.',
  always: 'will be told at every start.',
  none: 'is told as if nothing had been said of it.',
}

/** What came of a memory, apart: the verdict, and why. */
export function outcomeOf(memory: Pick<ToldMemory, 'cameOfIt'>): { verdict: string; why: string; tone: 'good' | 'warn' | 'plain' } {
  const [verdict = '', ...rest] = memory.cameOfIt.split(': ')
  const tone = verdict === 'used' ? 'good' : verdict === 'contradicted' ? 'warn' : 'plain'
  return { verdict, why: rest.join(': '), tone }
}

/** Why nothing can be said of a memory here; empty where something can. */
export function whyNot(memory: ToldMemory): string {
  if (!memory.now) return `${memory.id} is not in memory any more.`
  if (memory.status === 'rejected') return `${memory.id} was rejected: it is told to nobody.`
  return memory.status === 'candidate' ? `${memory.id} waits for your decision: accept or reject it in Review.` : ''
}

/** Whether a word would change nothing: it is said already, or there is nothing to take back. */
export function isSaid(memory: ToldMemory, verdict: Verdict): boolean {
  if (verdict === 'none') return !memory.marked
  return verdict === 'wrong' ? memory.wrong : verdict === 'always' && memory.always
}
