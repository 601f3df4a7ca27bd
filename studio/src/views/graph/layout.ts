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

/** Fewer rounds for more nodes: the picture settles in seconds either way. */
export function roundsFor(nodes: number): number {
  return Math.round(Math.min(600, Math.max(120, 300_000 / Math.max(1, nodes))))
}

/** To draw thousands anew takes its time: the reader's moves come first. */
export function tellingFor(nodes: number): number {
  return nodes > 1500 ? 1500 : nodes > 400 ? 400 : 100
}

export function settingsFor(nodes: number): object {
  return {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: nodes > 1000 ? 4 : 20,
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
