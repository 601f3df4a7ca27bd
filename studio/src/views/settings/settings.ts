import type { Shape } from '../../api/client'

type Row = Shape<'SettingRow'>
export type Place = Shape<'SettingPlace'>
export type FileName = Place['file']

export interface Group {
  name: string
  rows: Row[]
}

/** The files that can be changed here. */
export const FILES: { id: FileName; label: string }[] = [
  { id: 'user', label: 'Your file' },
  { id: 'project', label: 'This project’s file' },
]

/** Settings by the first word of their key, those that have the words asked for. */
export function grouped(rows: Row[], words: string, changedOnly: boolean): Group[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const text = `${row.key} ${row.about} ${row.variable}`.toLowerCase()
    if (!wanted.every((word) => text.includes(word)) || (changedOnly && row.source === 'default')) continue
    const first = row.key.split(/[._]/)[0] ?? row.key
    const name = first.charAt(0).toUpperCase() + first.slice(1)
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return [...groups].map(([name, list]) => ({ name, rows: list }))
}

/** Those that a file may set, and those that it says something of all the same. */
export function settable(rows: Row[], file: FileName): Row[] {
  return file === 'user' ? rows : rows.filter((row) => row.repository || (placeOf(row, file)?.value ?? null) !== null)
}

/** A value as one types it. */
export function typed(value: Row['value']): string {
  return Array.isArray(value) ? value.join(', ') : value === null ? '' : String(value)
}

export function placeOf(row: Row, file: FileName): Place | undefined {
  return row.files.find((place) => place.file === file)
}

const LABELS: Record<Row['source'], string> = {
  default: 'default',
  user: 'your file',
  project: 'this project',
  environment: 'environment',
  flag: 'command line',
}

/** Where a value comes from, in a word or two. */
export function sourceOf(row: Row): string {
  return LABELS[row.source]
}

const RANK: Row['source'][] = ['default', 'user', 'project', 'environment', 'flag']

/** Why what a file says does not count, or would not; empty where it does. */
export function outdone(row: Row, file: FileName): string {
  if (RANK.indexOf(row.source) <= RANK.indexOf(file)) return ''
  const now = typed(row.value) || 'nothing'
  switch (row.source) {
    case 'project':
      return `This project’s file says ${now}, and that counts here.`
    case 'environment':
      return `${row.variable} says ${now} where the server runs, and that counts.`
    default:
      return `The server was started with --set ${row.key}=${now}, and that counts.`
  }
}

/** All rows after one was changed: its file has another sum now, in every row. */
export function replaced(rows: Row[], changed: Row): Row[] {
  const sums = new Map(changed.files.map((place) => [place.file, place.sha256]))
  return rows.map((row) =>
    row.key === changed.key ? changed : { ...row, files: row.files.map((place) => ({ ...place, sha256: sums.get(place.file) ?? place.sha256 })) },
  )
}
