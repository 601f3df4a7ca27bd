import { describe, expect, it } from 'vitest'

import { matrices, roundsFor } from './layout'
import { mixed } from './looks'
import { beginnings, besides, filtered, found, inWords, kindsOf, sortsOf, type Edge, type Node } from './model'

function node(id: string, more: Partial<Node> = {}): Node {
  return { id: `memory:${id}`, kind: 'memory', title: id, type: 'learning', degree: 0, ...more }
}

function edge(source: string, target: string, kind = 'same file'): Edge {
  return { source: `memory:${source}`, target: `memory:${target}`, kind }
}

const nodes = [node('DEC-1', { type: 'decision', title: 'Orders in SQLite' }), node('DEC-2', { type: 'decision', title: 'Orders in PostgreSQL', degree: 3 }), node('LEARN-1', { title: 'Tests need UTC' })]
const edges = [edge('DEC-2', 'DEC-1', 'supersedes'), edge('DEC-1', 'LEARN-1'), edge('DEC-2', 'LEARN-1', 'contradicts')]

describe('the graph', () => {
  it('leaves out types with their edges, kinds of edges, and edges that lead nowhere', () => {
    const all = { nodes, edges: [...edges, edge('DEC-1', 'gone'), edge('DEC-1', 'DEC-1')] }

    expect(filtered(all, { sorts: new Set(), kinds: new Set() }).edges).toEqual(edges)
    expect(filtered(all, { sorts: new Set(['learning']), kinds: new Set() })).toEqual({ nodes: nodes.slice(0, 2), edges: [edges[0]] })
    expect(filtered(all, { sorts: new Set(), kinds: new Set(['contradicts', 'same file']) }).edges).toEqual([edges[0]])
  })

  it('counts types and kinds, what tells most first', () => {
    expect(sortsOf(nodes)).toEqual([{ sort: 'decision', count: 2 }, { sort: 'learning', count: 1 }])
    expect(kindsOf(edges).map((one) => one.kind)).toEqual(['contradicts', 'supersedes', 'same file'])
  })

  it('knows what lies beside a memory, and how to say it from either end', () => {
    const beside = besides(edges)

    expect(beside.get('memory:DEC-1')).toMatchObject([{ other: 'memory:DEC-2', kind: 'supersedes', out: false }, { kind: 'same file', out: true }])
    expect([inWords('supersedes', true), inWords('supersedes', false), inWords('same file', false)]).toEqual(['takes the place of', 'was replaced by', 'same file'])
  })

  it('finds memories by id, by the beginning, then by all words', () => {
    expect(found(nodes, 'dec-1')[0]?.id).toBe('memory:DEC-1')
    expect(found(nodes, 'orders in').map((one) => one.id)).toEqual(['memory:DEC-2', 'memory:DEC-1'])
    expect(found(nodes, 'utc tests').map((one) => one.id)).toEqual(['memory:LEARN-1'])
    expect(found(nodes, '  ')).toEqual([])
    expect(found(nodes, 'memory')).toEqual([])
  })

  it('begins the same way every time, no two memories in one place', () => {
    const first = beginnings(nodes)

    expect(beginnings([...nodes].reverse())).toEqual(first)
    expect(new Set([...first.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(3)
  })

  it('is laid out by matrices in which a bond weighs at both ends', () => {
    const placed = nodes.map(({ id }, at) => ({ id, x: at, y: -at, size: 4 }))

    const made = matrices(placed, edges.slice(0, 2))

    expect([...made.edges]).toEqual([10, 0, 3, 0, 20, 1])
    expect([made.nodes[6], made.nodes[16], made.nodes[26]]).toEqual([5, 4, 2])
    expect(roundsFor(5000)).toBeLessThan(roundsFor(500))
  })

  it('mixes colours instead of making them transparent', () => {
    expect(mixed('#000000', '#ffffff', 0.5)).toBe('#808080')
    expect(mixed('#0072b2', '#ffffff', 1)).toBe('#0072b2')
    expect(mixed('red', '#ffffff', 0.5)).toBe('red')
  })
})
