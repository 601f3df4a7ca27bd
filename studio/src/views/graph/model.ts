/** The graph without its picture: what is shown, what lies beside a node, where nodes begin. Pure. */
export interface Node {
  id: string
  kind: string
  title: string
  type?: string
  status?: string
  degree?: number
}

export interface Edge {
  source: string
  target: string
  kind: string
  why?: string
}

export interface Graph {
  nodes: Node[]
  edges: Edge[]
}

export interface Beside {
  other: string
  kind: string
  why: string
  /** Whether the edge leads away from the node. */
  out: boolean
}

/** A memory's own id: nodes are called by their kind and id, `memory:DEC-7K2MQ4`. */
export function ownId(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

export function memoryKey(id: string): string {
  return `memory:${id}`
}

/** What a node is drawn as: a memory by its type, everything else by its kind. */
export function sortOf(node: Node): string {
  return node.type || node.kind
}

/** The kinds of edges that say something about truth come first. */
const TELLING = ['contradicts', 'supersedes', 'refines', 'duplicates']
const ONE_WAY = new Set(['supersedes', 'refines', 'evidence', 'follows', 'mentions', 'fact'])

export function kindsOf(edges: readonly Edge[]): { kind: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const edge of edges) counts.set(edge.kind, (counts.get(edge.kind) ?? 0) + 1)
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort((one, other) => rank(one.kind) - rank(other.kind) || other.count - one.count || one.kind.localeCompare(other.kind))
}

function rank(kind: string): number {
  const at = TELLING.indexOf(kind)
  return at < 0 ? TELLING.length : at
}

export function sortsOf(nodes: readonly Node[]): { sort: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const node of nodes) counts.set(sortOf(node), (counts.get(sortOf(node)) ?? 0) + 1)
  return [...counts].map(([sort, count]) => ({ sort, count })).sort((one, other) => other.count - one.count)
}

/** Without the types and kinds of edges that were switched off. An edge needs both its ends. */
export function filtered(graph: Graph, without: { sorts: ReadonlySet<string>; kinds: ReadonlySet<string> }): Graph {
  const nodes = graph.nodes.filter((node) => !without.sorts.has(sortOf(node)))
  const there = new Set(nodes.map((node) => node.id))
  const edges = graph.edges.filter(
    (edge) => !without.kinds.has(edge.kind) && there.has(edge.source) && there.has(edge.target) && edge.source !== edge.target,
  )
  return { nodes, edges }
}

export function besides(edges: readonly Edge[]): Map<string, Beside[]> {
  const found = new Map<string, Beside[]>()
  const add = (id: string, beside: Beside) => {
    const known = found.get(id)
    if (known) known.push(beside)
    else found.set(id, [beside])
  }
  for (const { source, target, kind, why = '' } of edges) {
    add(source, { other: target, kind, why, out: true })
    add(target, { other: source, kind, why, out: false })
  }
  for (const list of found.values()) list.sort((one, other) => rank(one.kind) - rank(other.kind))
  return found
}

/** An edge in words, as seen from one of its ends. */
export function inWords(kind: string, out: boolean): string {
  if (kind === 'supersedes') return out ? 'takes the place of' : 'was replaced by'
  if (kind === 'contradicts') return 'contradicts'
  if (ONE_WAY.has(kind) && !out) return `${kind} (from there)`
  return kind
}

/** Nodes for some words: ids and beginnings first, then titles that hold all the words; the better bound ones first. */
export function found(nodes: readonly Node[], words: string, most = 12): Node[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (!wanted.length) return []
  const whole = wanted.join(' ')
  const scored = nodes.flatMap((node) => {
    const title = node.title.toLowerCase()
    const id = ownId(node.id).toLowerCase()
    if (id === whole) return [{ node, score: 3 }]
    if (title.startsWith(whole)) return [{ node, score: 2 }]
    return wanted.every((word) => title.includes(word) || id.includes(word)) ? [{ node, score: 1 }] : []
  })
  scored.sort((one, other) => other.score - one.score || (other.node.degree ?? 0) - (one.node.degree ?? 0))
  return scored.slice(0, most).map(({ node }) => node)
}

export function sizeOf(degree: number): number {
  return Math.min(16, 4 + 1.6 * Math.sqrt(degree))
}

/**
 * Where nodes begin: the best bound in the middle, on a sunflower's spiral. The same graph begins the same way, so
 * that a picture is known again.
 */
export function beginnings(nodes: readonly Node[]): Map<string, { x: number; y: number }> {
  const ordered = [...nodes].sort((one, other) => (other.degree ?? 0) - (one.degree ?? 0) || (one.id < other.id ? -1 : 1))
  const golden = Math.PI * (3 - Math.sqrt(5))
  return new Map(
    ordered.map((node, at) => {
      const radius = 10 * Math.sqrt(at + 0.5)
      return [node.id, { x: radius * Math.cos(at * golden), y: radius * Math.sin(at * golden) }]
    }),
  )
}
