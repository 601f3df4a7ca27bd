/** The layout, asked of the worker. */
import type { Edge } from './model'

export interface Asked {
  nodes: Float32Array
  edges: Float32Array
  settings: object
  /** Rounds in all. */
  most: number
  /** Milliseconds between two tellings of where nodes are. */
  every: number
}

export interface Placed {
  /** x and y of each node, in the order in which they were given. */
  positions: Float32Array
  rounds: number
  over: boolean
}

const PER_NODE = 10
const PER_EDGE = 3
const MASS = 6
/** What binds: the surer the bond, the nearer the nodes. */
const WEIGHTS: Record<string, number> = { supersedes: 3, contradicts: 2, 'same session': 0.4 }

export function matrices(
  nodes: readonly { id: string; x: number; y: number; size: number }[],
  edges: readonly Edge[],
): { nodes: Float32Array; edges: Float32Array } {
  const places = new Map(nodes.map((node, at) => [node.id, at * PER_NODE]))
  const forNodes = new Float32Array(nodes.length * PER_NODE)
  nodes.forEach((node, at) => forNodes.set([node.x, node.y, 0, 0, 0, 0, 1, 1, node.size, 0], at * PER_NODE))
  const forEdges = new Float32Array(edges.length * PER_EDGE)
  edges.forEach((edge, at) => {
    const source = places.get(edge.source) ?? 0
    const target = places.get(edge.target) ?? 0
    const weight = WEIGHTS[edge.kind] ?? 1
    forEdges.set([source, target, weight], at * PER_EDGE)
    forNodes[source + MASS]! += weight
    forNodes[target + MASS]! += weight
  })
  return { nodes: forNodes, edges: forEdges }
}

/** The numbers of the nodes that an edge leads to, and of those that stand alone. */
export function parted(nodes: readonly { id: string }[], edges: readonly Edge[]): { bound: number[]; alone: number[] } {
  const ends = new Set(edges.flatMap(({ source, target }) => [source, target]))
  const numbers = nodes.map((_, at) => at)
  const held = (at: number) => ends.has(nodes[at]?.id ?? '')
  return { bound: numbers.filter(held), alone: numbers.filter((at) => !held(at)) }
}

/**
 * Where all nodes are: the bound ones as they were laid out, those that stand alone in rows beside them. A layout by
 * forces would throw these around the others as a ring, and say nothing by it.
 */
export function gathered(found: Float32Array, { bound, alone }: { bound: readonly number[]; alone: readonly number[] }): Float32Array {
  const all = new Float32Array(2 * (bound.length + alone.length))
  let [right, top, bottom] = [-Infinity, Infinity, -Infinity]
  bound.forEach((number, at) => {
    const [x, y] = [found[2 * at] ?? 0, found[2 * at + 1] ?? 0]
    all[2 * number] = x
    all[2 * number + 1] = y
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  })
  if (!bound.length) [right, top, bottom] = [0, 0, 10 * Math.sqrt(alone.length)]
  const high = Math.max(bottom - top, 1)
  const step = Math.min(high / 20, (0.9 * high) / Math.sqrt(Math.max(1, bound.length)))
  const rows = Math.max(1, Math.min(Math.floor(high / step), Math.ceil(Math.sqrt(alone.length) * 1.6)))
  const first = (top + bottom) / 2 - ((rows - 1) / 2) * step
  alone.forEach((number, at) => {
    all[2 * number] = right + 3 * step + Math.floor(at / rows) * step
    all[2 * number + 1] = first + (at % rows) * step
  })
  return all
}

/** Fewer rounds for more nodes: the picture settles in seconds either way. */
export function roundsFor(nodes: number): number {
  return Math.round(Math.min(600, Math.max(240, 300_000 / Math.max(1, nodes))))
}

export function settingsFor(nodes: number): object {
  return {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: nodes > 1000 ? 12 : 20,
    strongGravityMode: true,
    gravity: nodes > 1000 ? 0.02 : 0.2,
    slowDown: 1 + Math.log(nodes + 1),
    barnesHutOptimize: nodes > 300,
    barnesHutTheta: 0.8,
  }
}

/** Lay out aside; `placed` is told where nodes are. Gives back how to stop. */
export function layOut(asked: Asked, placed: (found: Placed) => void, failed: () => void): () => void {
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<Placed>) => {
    placed(data)
    if (data.over) worker.terminate()
  }
  worker.onerror = () => {
    worker.terminate()
    failed()
  }
  worker.postMessage(asked, [asked.nodes.buffer, asked.edges.buffer])
  return () => worker.terminate()
}
