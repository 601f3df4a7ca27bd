import { describe, expect, it } from 'vitest'

import type { Shape } from '../../api/client'
import { grouped, outdone, placeOf, replaced, settable, sourceOf, typed, type Place } from './settings'

type Row = Shape<'SettingRow'>

function place(file: Place['file'], more: Partial<Place> = {}): Place {
  return { file, path: `/${file}/config.toml`, value: null, sha256: 'a'.repeat(64), locked: '', ...more }
}

function row(key: string, more: Partial<Row> = {}): Row {
  return {
    key, value: 1, default: 1, kind: 'int', origin: 'default', source: 'default', about: `about ${key}`, variable: `HOLDFAST_${key}`,
    repository: false, choices: [], files: [place('user'), place('project')], ...more,
  } // prettier-ignore
}

describe('settings', () => {
  const rows = [row('search.limit'), row('packs.budget', { source: 'user' }), row('search.recipe')]

  it('are grouped by their first word, in their order', () => {
    expect(grouped(rows, '', false).map((group) => [group.name, group.rows.length])).toEqual([
      ['Search', 2],
      ['Packs', 1],
    ])
  })

  it('are found by all words of key, text and variable', () => {
    expect(grouped(rows, 'SEARCH recipe', false)[0]?.rows.map((one) => one.key)).toEqual(['search.recipe'])
    expect(grouped(rows, 'search budget', false)).toEqual([])
    expect(grouped(rows, '', true).map((group) => group.name)).toEqual(['Packs'])
  })

  it('say where they come from, and what outdoes a file', () => {
    expect(sourceOf(row('a.b', { source: 'flag' }))).toBe('command line')
    expect(outdone(row('a.b', { source: 'user' }), 'user')).toBe('')
    expect(outdone(row('a.b', { source: 'user' }), 'project')).toBe('')
    expect(outdone(row('a.b', { source: 'project', value: 7 }), 'user')).toContain('This project’s file says 7')
    expect(outdone(row('a.b', { source: 'project' }), 'project')).toBe('')
    expect(outdone(row('a.b', { source: 'environment' }), 'project')).toContain('HOLDFAST_a.b')
    expect(outdone(row('a.b', { source: 'flag', value: 3 }), 'user')).toContain('--set a.b=3')
  })

  it('of a project are those that can do no harm, and those that it tries to set', () => {
    const list = [row('a', { repository: true }), row('b'), row('c', { files: [place('user'), place('project', { value: 'full', locked: 'no' })] })]
    expect(settable(list, 'project').map((one) => one.key)).toEqual(['a', 'c'])
    expect(settable(list, 'user')).toHaveLength(3)
  })

  it('carry the sum of a file that was changed in every row', () => {
    const changed = row('search.limit', { value: 9, files: [place('user'), place('project', { value: 9, sha256: 'b'.repeat(64) })] })
    const after = replaced(rows, changed)
    expect(after[0]).toBe(changed)
    expect(after.map((one) => placeOf(one, 'project')?.sha256)).toEqual(Array(3).fill('b'.repeat(64)))
    expect(after.map((one) => placeOf(one, 'user')?.sha256)).toEqual(Array(3).fill('a'.repeat(64)))
  })

  it('are written as one types them', () => {
    expect([typed(true), typed(0.5), typed(['a', 'b']), typed(null)]).toEqual(['true', '0.5', 'a, b', ''])
  })
})
