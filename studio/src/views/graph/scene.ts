/** The graph as it is drawn: numbers side by side, since thousands of them are walked through for one picture. */
import { lookOf, edgeLookOf, type Colours } from './looks'
import { beginnings, kindsOf, sizeOf, sortOf, sortsOf, type Graph } from './model'
import type { ShapeName } from './shapes'
import type { Camera, Size } from './view'

export interface Scene {
  /** x and y of each node. */
  positions: Float32Array
  /** How far a node reaches, before the zoom. */
  sizes: Float32Array
  /** Which of `paint.nodes` a node is, and whether it is left out. */
  sorts: Uint8Array
  /** The two ends of each edge. */
  ends: Uint32Array
  /** Which of `paint.edges` an edge is. */
  kinds: Uint8Array
  paint: Paint
  /** Sorts and kinds that are left out: 1. */
  noSorts: Uint8Array
  noKinds: Uint8Array
}

export interface Paint {
  nodes: readonly { colour: string; shape: ShapeName }[]
  edges: readonly { plain: string; strong: string; size: number; arrow: boolean }[]
  ground: string
}

/** What the drawing worker is asked: what changed since the last time, and where one looks. */
export interface Asked extends Partial<Scene> {
  camera: Camera
  size: Size
  margin: Size
  /** How much larger nodes are than at first, from the zoom. */
  swell: number
  /** Pixels of the screen for one of the page. */
  ratio: number
}

export interface Named {
  sorts: readonly string[]
  kinds: readonly string[]
}

export function namesOf(graph: Graph): Named {
  return { sorts: sortsOf(graph.nodes).map(({ sort }) => sort), kinds: kindsOf(graph.edges).map(({ kind }) => kind) }
}

export function sceneOf(graph: Graph, named: Named, paint: Paint): Scene {
  const at = beginnings(graph.nodes)
  const places = new Map(graph.nodes.map((node, index) => [node.id, index]))
  return {
    positions: Float32Array.from(graph.nodes.flatMap(({ id }) => [at.get(id)?.x ?? 0, at.get(id)?.y ?? 0])),
    sizes: Float32Array.from(graph.nodes, (node) => sizeOf(node.degree ?? 0)),
    sorts: Uint8Array.from(graph.nodes, (node) => named.sorts.indexOf(sortOf(node))),
    ends: Uint32Array.from(graph.edges.flatMap(({ source, target }) => [places.get(source) ?? 0, places.get(target) ?? 0])),
    kinds: Uint8Array.from(graph.edges, ({ kind }) => named.kinds.indexOf(kind)),
    paint,
    noSorts: new Uint8Array(named.sorts.length),
    noKinds: new Uint8Array(named.kinds.length),
  }
}

export function paintOf(named: Named, colour: Colours): Paint {
  return {
    nodes: named.sorts.map((sort) => ({ colour: colour(lookOf(sort).colour), shape: lookOf(sort).shape })),
    edges: named.kinds.map((kind) => {
      const { colour: variable, strength, size, arrow } = edgeLookOf(kind)
      return { plain: colour(variable, strength), strong: colour(variable), size, arrow }
    }),
    ground: colour('--surface'),
  }
}

/** Whether a node is shown. */
export function shows(scene: Scene, at: number): boolean {
  return !scene.noSorts[scene.sorts[at] ?? 0]
}

/** The edges of each node, by their number. */
export function edgesOf(scene: Scene): Map<number, number[]> {
  const found = new Map<number, number[]>()
  const add = (node: number, edge: number) => {
    const known = found.get(node)
    if (known) known.push(edge)
    else found.set(node, [edge])
  }
  for (let edge = 0; edge < scene.kinds.length; edge++) {
    add(scene.ends[2 * edge] ?? 0, edge)
    add(scene.ends[2 * edge + 1] ?? 0, edge)
  }
  return found
}

/** The node under a place of the graph, the nearest first; -1 for none. `slack`: how far beside it one may point. */
export function nodeAt(scene: Scene, x: number, y: number, swell: number, slack: number): number {
  let found = -1
  let best = Infinity
  for (let at = 0; at < scene.sizes.length; at++) {
    const [right, down] = [(scene.positions[2 * at] ?? 0) - x, (scene.positions[2 * at + 1] ?? 0) - y]
    const apart = right * right + down * down
    const reach = (scene.sizes[at] ?? 0) * swell + slack
    if (apart > reach * reach || apart >= best || !shows(scene, at)) continue
    found = at
    best = apart
  }
  return found
}
