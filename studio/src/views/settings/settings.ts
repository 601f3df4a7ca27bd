import type { Shape } from '../../api/client'

type Row = Shape<'SettingRow'>

export interface Group {
  name: string
  rows: Row[]
}

/** Settings by the first word of their key, those that have the words asked for. */
export function grouped(rows: Row[], words: string, changedOnly: boolean): Group[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const text = `${row.key} ${row.about} ${row.variable}`.toLowerCase()
    if (!wanted.every((word) => text.includes(word)) || (changedOnly && row.origin === 'default')) continue
    const first = row.key.split(/[._]/)[0] ?? row.key
    const name = first.charAt(0).toUpperCase() + first.slice(1)
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return [...groups].map(([name, list]) => ({ name, rows: list }))
}

/** A value as one types it. */
export function typed(value: Row['value']): string {
  return Array.isArray(value) ? value.join(', ') : value === null ? '' : String(value)
}

export interface Origin {
  label: string
  /** Whether what is typed here would count: nothing later sets it. */
  ours: boolean
  note: string
}

/** Where a value comes from, in words. `folder`: the workspace's. */
export function originOf(row: Row, folder: string): Origin {
  if (row.origin === 'default') return { label: 'default', ours: true, note: '' }
  if (row.origin === 'environment') {
    return { label: 'environment', ours: false, note: `${row.variable} is set where the server runs, and counts for more than your file.` }
  }
  if (row.origin === 'flag') return { label: 'flag', ours: false, note: 'The server was started with it; that counts for more than your file.' }
  if (folder && row.origin.startsWith(`${folder}/`)) {
    return { label: 'this workspace', ours: false, note: `${row.origin} sets it for everybody who works here, and counts for more than your file.` }
  }
  return { label: 'your file', ours: true, note: row.origin }
}
