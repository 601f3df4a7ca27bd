/**
 * A session's turns as rows to draw: what follows what, subagents and branches indented below the turn they come
 * from. No recursion: a conversation is a chain thousands of turns long.
 */
export interface Turn {
  id: string
  kind: string
  ts: string
  parent?: string
  agent?: string
  text?: string
  tool?: string
  input?: Record<string, unknown>
  output?: string
  failed?: boolean
  model?: string
  foreign?: boolean
}

const COUNTED = new Set(['prompt', 'answer', 'tool'])

/** How many of them are words or tools, as the list of sessions counts: a beginning or an end is no turn. */
export function turnsIn(turns: readonly Turn[]): number {
  return turns.filter((turn) => COUNTED.has(turn.kind)).length
}

export interface TurnRow<T extends Turn = Turn> {
  kind: 'turn'
  key: string
  depth: number
  turn: T
}

/** The head of a subagent's part or of a branch that was left. */
export interface GroupRow {
  kind: 'agent' | 'branch'
  key: string
  depth: number
  name: string
  /** Turns in it, those of groups within among them. */
  count: number
  open: boolean
  /** The first turn in it. */
  first: string
}

export type Row<T extends Turn = Turn> = TurnRow<T> | GroupRow

interface Node<T> {
  turn: T
  children: Node<T>[]
  size: number
  last: number
}

export interface Tree<T extends Turn = Turn> {
  roots: Node<T>[]
  /** By a turn's id, the keys of the groups it lies in, the outermost first. */
  within: Map<string, string[]>
}

/** Turns whose parent is not there, or lies in a circle, begin a root of their own: nothing is lost. */
export function treeOf<T extends Turn>(turns: readonly T[]): Tree<T> {
  const nodes = new Map<string, Node<T>>()
  const above = new Map<Node<T>, Node<T>>()
  const roots: Node<T>[] = []
  turns.forEach((turn, index) => {
    if (nodes.has(turn.id)) return
    const node: Node<T> = { turn, children: [], size: 1, last: index }
    // A parent comes before its children; what claims otherwise would make a circle.
    const parent = turn.parent ? nodes.get(turn.parent) : undefined
    nodes.set(turn.id, node)
    if (!parent) return roots.push(node)
    parent.children.push(node)
    return above.set(node, parent)
  })
  // So that one walk backwards adds everything up.
  for (const node of [...nodes.values()].reverse()) {
    const parent = above.get(node)
    if (!parent) continue
    parent.size += node.size
    parent.last = Math.max(parent.last, node.last)
  }
  return { roots, within: placed(roots) }
}

interface Step<T> {
  node: Node<T>
  depth: number
  above: string[]
}

interface Group<T> {
  kind: 'agent' | 'branch'
  node: Node<T>
}

const ASIDE = new Set(['other', 'start', 'end'])

/** What goes on at the same depth, what is a group of its own, and what was noted aside and leads nowhere. */
function parted<T extends Turn>(node: Node<T>): { next: Node<T> | undefined; asides: Node<T>[]; groups: Group<T>[] } {
  const same = (child: Node<T>) => (child.turn.agent ?? '') === (node.turn.agent ?? '')
  const isAside = (child: Node<T>) => same(child) && ASIDE.has(child.turn.kind) && !child.children.length
  const own = node.children.filter((child) => same(child) && !isAside(child))
  // The branch that went on last is the conversation; the others were left.
  const next = own.reduce<Node<T> | undefined>((best, child) => (best && best.last > child.last ? best : child), undefined)
  const groups = node.children.filter((child) => child !== next && !isAside(child))
  return {
    next,
    asides: node.children.filter(isAside),
    groups: groups.map((child) => ({ kind: same(child) ? 'branch' : 'agent', node: child })),
  }
}

function keyOf(kind: string, node: Node<Turn>): string {
  return `${kind}:${node.turn.id}`
}

function placed<T extends Turn>(roots: Node<T>[]): Map<string, string[]> {
  const within = new Map<string, string[]>()
  const todo: Step<T>[] = roots.map((node) => ({ node, depth: 0, above: [] }))
  for (let step = todo.pop(); step; step = todo.pop()) {
    within.set(step.node.turn.id, step.above)
    const { next, asides, groups } = parted(step.node)
    if (next) todo.push({ node: next, depth: 0, above: step.above })
    for (const aside of asides) within.set(aside.turn.id, step.above)
    for (const group of groups) {
      todo.push({ node: group.node, depth: 0, above: [...step.above, keyOf(group.kind, group.node)] })
    }
  }
  return within
}

/** The rows that are seen. `shown` says whether a group is open; branches that were left begin closed. */
export function rowsOf<T extends Turn>(tree: Tree<T>, shown: (key: string, kind: 'agent' | 'branch') => boolean): Row<T>[] {
  const rows: Row<T>[] = []
  const todo: Step<T>[] = [...tree.roots].reverse().map((node) => ({ node, depth: 0, above: [] }))
  const heads = new Map<Node<T>, GroupRow>()
  for (let step = todo.pop(); step; step = todo.pop()) {
    const head = heads.get(step.node)
    if (head) {
      rows.push(head)
      if (!head.open) continue
    }
    const depth = head ? head.depth + 1 : step.depth
    rows.push({ kind: 'turn', key: step.node.turn.id, depth, turn: step.node.turn })
    const { next, asides, groups } = parted(step.node)
    for (const { turn } of asides) rows.push({ kind: 'turn', key: turn.id, depth, turn })
    if (next) todo.push({ node: next, depth, above: [] })
    for (const group of [...groups].reverse()) {
      const key = keyOf(group.kind, group.node)
      const { turn, size } = group.node
      heads.set(group.node, {
        kind: group.kind,
        key,
        depth,
        name: group.kind === 'agent' ? (turn.agent ?? '') : (turn.text ?? ''),
        count: size,
        open: shown(key, group.kind),
        first: turn.id,
      })
      todo.push({ node: group.node, depth, above: [] })
    }
  }
  return rows
}

/** Whether a row is worth drawing: what says nothing to a person is left out unless everything is asked for. */
export function speaks(turn: Turn): boolean {
  if (['prompt', 'answer', 'tool', 'cut'].includes(turn.kind)) return true
  return Boolean(turn.text)
}
