import type { Shape } from '../../api/client'

/** What an agent would be told, by the headings under which it reads it. */
export type Pack = Shape<'PackView'>

export const SHELVES = [
  { name: 'constraints', title: 'Constraints' },
  { name: 'deadEnds', title: 'Dead ends' },
  { name: 'teamDecisions', title: 'Team standards' },
  { name: 'facts', title: 'Facts' },
  { name: 'learnings', title: 'Learnings' },
  { name: 'patterns', title: 'Patterns' },
] as const satisfies readonly { name: keyof Pack; title: string }[]

export type Line = Pack['facts'][number]

/** The shelves that hold something, as an agent reads them: what a line repeats is left out. */
export function shelvesOf(pack: Pack): { title: string; lines: Line[] }[] {
  return SHELVES.map(({ name, title }) => ({ title, lines: pack[name].filter((line) => !line.repeats) })).filter(({ lines }) => lines.length)
}

const FILE = /^[\w@.~-]*(?:\/[\w@.~*-]+)+\/?$|^[\w@-]+\.[a-z]{1,4}$/i

/** The first path in some words, as a prompt may name one: src/shop/db.py, docs/, main.go. */
export function pathIn(words: string): string {
  return words.split(/[\s,;"'`()]+/).find((word) => FILE.test(word) && !word.startsWith('/')) ?? ''
}
