import { describe, expect, it } from 'vitest'

import { rowsOf, speaks, treeOf, turnsIn, type Row, type Turn } from './tree'

function turn(id: string, parent = '', more: Partial<Turn> = {}): Turn {
  return { id, parent, kind: 'prompt', ts: '2026-11-15T10:00:00Z', text: id, ...more }
}

const all = () => true
const drawn = (rows: Row[]) => rows.map((row) => `${'  '.repeat(row.depth)}${row.key}`)

describe('turns', () => {
  it('are counted as the list of sessions counts them', () => {
    const kinds = ['start', 'prompt', 'tool', 'answer', 'cut', 'other', 'end']

    expect(turnsIn(kinds.map((kind) => turn(kind, '', { kind })))).toBe(3)
  })
})

describe('the tree of a session', () => {
  it('draws a chain as one column', () => {
    const rows = rowsOf(treeOf([turn('a'), turn('b', 'a'), turn('c', 'b')]), all)

    expect(drawn(rows)).toEqual(['a', 'b', 'c'])
  })

  it('indents a subagent below the call that started it, and goes on after it', () => {
    const turns = [turn('a'), turn('call', 'a', { kind: 'tool' }), turn('s1', 'call', { agent: 'Explore' }),
      turn('s2', 's1', { agent: 'Explore' }), turn('b', 'call')]

    const rows = rowsOf(treeOf(turns), all)

    expect(drawn(rows)).toEqual(['a', 'call', 'agent:s1', '  s1', '  s2', 'b'])
    expect(rows[2]).toMatchObject({ kind: 'agent', name: 'Explore', count: 2, open: true })
  })

  it('folds a branch that was left, and keeps the one that went on in the column', () => {
    const turns = [turn('a'), turn('old', 'a'), turn('old2', 'old'), turn('new', 'a'), turn('end', 'new')]

    const closed = rowsOf(treeOf(turns), (_, kind) => kind === 'agent')

    expect(drawn(closed)).toEqual(['a', 'branch:old', 'new', 'end'])
    expect(closed[1]).toMatchObject({ count: 2, open: false, first: 'old' })
    expect(drawn(rowsOf(treeOf(turns), all))).toEqual(['a', 'branch:old', '  old', '  old2', 'new', 'end'])
  })

  it('does not take for a branch what a client only noted', () => {
    const turns = [turn('begin', '', { kind: 'start' }), turn('loaded', 'begin', { kind: 'other' }), turn('a', 'begin'), turn('end', 'a', { kind: 'end' })]

    const { within } = treeOf(turns)

    expect(drawn(rowsOf(treeOf(turns), all))).toEqual(['begin', 'loaded', 'a', 'end'])
    expect(within.get('loaded')).toEqual([])
  })

  it('says which groups must be open to see a turn', () => {
    const turns = [turn('a'), turn('old', 'a'), turn('sub', 'old', { agent: 'x' }), turn('new', 'a')]

    const { within } = treeOf(turns)

    expect(within.get('sub')).toEqual(['branch:old', 'agent:sub'])
    expect(within.get('new')).toEqual([])
  })

  it('loses nothing where parents are missing, circular, or named twice', () => {
    const turns = [turn('a', 'gone'), turn('b', 'c'), turn('c', 'b'), turn('d', 'd'), turn('a', 'b')]

    const rows = rowsOf(treeOf(turns), all)

    expect(rows.map((row) => row.key).sort()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('bears a chain of 20,000 turns and 5,000 branches of one turn', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => turn(`t${at}`, at ? `t${at - 1}` : ''))
    const fan = [turn('root'), ...Array.from({ length: 5_000 }, (_, at) => turn(`f${at}`, 'root'))]

    expect(rowsOf(treeOf(chain), all)).toHaveLength(20_000)
    expect(rowsOf(treeOf(fan), () => false)).toHaveLength(5_001)
  })

  it('leaves out what says nothing', () => {
    expect(speaks(turn('a', '', { kind: 'start', text: '' }))).toBe(false)
    expect(speaks(turn('a', '', { kind: 'other', text: 'an error' }))).toBe(true)
    expect(speaks(turn('a', '', { kind: 'cut', text: '' }))).toBe(true)
  })
})
