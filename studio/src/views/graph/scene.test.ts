import { describe, expect, it } from 'vitest'

import { drawAll } from './drawing'
import { gathered, parted } from './layout'
import type { Edge, Node } from './model'
import { edgesOf, namesOf, nodeAt, paintOf, sceneOf, type Asked, type Scene } from './scene'

const nodes: Node[] = ['a', 'b', 'c', 'd'].map((id, at) => ({ id, kind: 'memory', title: id, type: at % 2 ? 'decision' : 'learning', degree: at }))
const edges: Edge[] = [{ source: 'a', target: 'b', kind: 'same file' }, { source: 'b', target: 'c', kind: 'supersedes' }]
const graph = { nodes, edges }
const named = namesOf(graph)

function scene(more: Partial<Scene> = {}): Scene {
  return { ...sceneOf(graph, named, paintOf(named, (variable) => variable)), positions: Float32Array.from([0, 0, 100, 0, 100, 100, 4000, 0]), ...more }
}

describe('the scene', () => {
  it('finds the node that is pointed at, the nearest one, and none that is left out', () => {
    const noSorts = Uint8Array.from(named.sorts, (sort) => Number(sort === 'learning'))

    expect(nodeAt(scene(), 98, 1, 1, 3)).toBe(1)
    expect(nodeAt(scene(), 50, 50, 1, 3)).toBe(-1)
    expect(nodeAt(scene(), 40, 30, 20, 3)).toBe(0)
    expect(nodeAt(scene({ noSorts }), 0, 0, 1, 3)).toBe(-1)
  })

  it('knows the edges of a node', () => {
    expect(edgesOf(scene()).get(1)).toEqual([0, 1])
    expect(edgesOf(scene()).get(3)).toBeUndefined()
  })
})

describe('the drawing', () => {
  const asked: Asked = { camera: { x: 50, y: 50, scale: 1 }, size: { wide: 300, high: 300 }, margin: { wide: 60, high: 60 }, swell: 1, ratio: 2 }

  it('draws what is in sight and is not left out', () => {
    expect(counted(scene())).toEqual({ lines: 2, circles: 2, corners: 1 })
    expect(counted(scene({ noKinds: Uint8Array.from([1, 0]) }))).toMatchObject({ lines: 1 })
    expect(counted(scene({ noSorts: Uint8Array.from(named.sorts, (sort) => Number(sort === 'learning')) }))).toEqual({ lines: 0, circles: 0, corners: 1 })
  })

  /** How many lines between nodes, circles and shapes with corners come onto the canvas. */
  function counted(what: Scene): { lines: number; circles: number; corners: number } {
    const found = { lines: 0, circles: 0, corners: 0 }
    let open = 0
    const pen = {
      setTransform: () => {}, clearRect: () => {}, beginPath: () => (open = 0), fill: () => {},
      moveTo: () => {}, arc: () => found.circles++, lineTo: () => open++,
      closePath: () => (found.corners++, (open = 0)),
      stroke: () => (found.lines += open),
    }
    drawAll(pen as never, what, asked)
    return found
  }
})

describe('memories that nothing is bound to', () => {
  it('stand in rows beside the others, each in a place of its own', () => {
    const many = [...nodes, ...Array.from({ length: 50 }, (_, at) => ({ ...nodes[0]!, id: `alone ${at}` }))]
    const parts = parted(many, edges)
    expect(parts.bound).toEqual([0, 1, 2])

    const all = gathered(Float32Array.from([0, 0, 100, 0, 100, 200]), parts)

    expect([...all.slice(0, 6)]).toEqual([0, 0, 100, 0, 100, 200])
    const places = parts.alone.map((at) => `${all[2 * at]} ${all[2 * at + 1]}`)
    expect(new Set(places).size).toBe(51)
    for (const at of parts.alone) expect(all[2 * at]! > 100 && all[2 * at + 1]! >= 0 && all[2 * at + 1]! <= 200).toBe(true)
  })

  it('have places where nothing is bound at all', () => {
    const all = gathered(new Float32Array(0), parted(nodes, []))

    expect(new Set(Array.from({ length: 4 }, (_, at) => `${all[2 * at]} ${all[2 * at + 1]}`)).size).toBe(4)
    expect([...all].every(Number.isFinite)).toBe(true)
  })
})
