import { describe, expect, it } from 'vitest'

import type { Shape } from '../../api/client'
import { grouped, originOf, typed } from './settings'

function row(key: string, more: Partial<Shape<'SettingRow'>> = {}): Shape<'SettingRow'> {
  return {
    key, value: 1, default: 1, kind: 'int', origin: 'default', about: `about ${key}`, variable: `HOLDFAST_${key}`, repository: false,
    choices: [], ...more,
  } // prettier-ignore
}

describe('settings', () => {
  const rows = [row('search.limit'), row('packs.budget', { origin: '/home/me/config.toml' }), row('search.recipe')]

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

  it('say where they come from and whether a change here would count', () => {
    const from = (origin: string) => originOf(row('a.b', { origin }), '/w/shop')
    expect(from('default')).toMatchObject({ label: 'default', ours: true })
    expect(from('/w/shop/.holdfast/config.toml')).toMatchObject({ label: 'this workspace', ours: false })
    expect(from('/home/me/.holdfast/config.toml')).toMatchObject({ label: 'your file', ours: true })
    expect(from('environment').note).toContain('HOLDFAST_a.b')
    expect(from('flag').ours).toBe(false)
  })

  it('are written as one types them', () => {
    expect([typed(true), typed(0.5), typed(['a', 'b']), typed(null)]).toEqual(['true', '0.5', 'a, b', ''])
  })
})
