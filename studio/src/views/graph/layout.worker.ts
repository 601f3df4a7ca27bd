import iterate from 'graphology-layout-forceatlas2/iterate.js'

import type { Asked, Placed } from './layout'

/** ForceAtlas2 in a thread of its own. It tells where nodes are a few times a second, and when it has settled. */
const PER_NODE = 10

function positions(nodes: Float32Array): Float32Array<ArrayBuffer> {
  const found = new Float32Array((nodes.length / PER_NODE) * 2)
  for (let at = 0; at < found.length / 2; at++) {
    found[2 * at] = nodes[at * PER_NODE] ?? 0
    found[2 * at + 1] = nodes[at * PER_NODE + 1] ?? 0
  }
  return found
}

function tell(nodes: Float32Array, rounds: number, over: boolean): void {
  const placed = positions(nodes)
  const message: Placed = { positions: placed, rounds, over }
  postMessage(message, { transfer: [placed.buffer] })
}

onmessage = ({ data }: MessageEvent<Asked>) => {
  const { nodes, edges, settings, most, every } = data
  let told = performance.now()
  for (let round = 1; round <= most; round++) {
    iterate(settings, nodes, edges)
    if (performance.now() - told < every) continue
    tell(nodes, round, false)
    told = performance.now()
  }
  tell(nodes, most, true)
}
