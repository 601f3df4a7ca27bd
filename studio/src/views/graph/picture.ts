import { MultiGraph } from 'graphology'
import Sigma from 'sigma'
import { EdgeArrowProgram, EdgeLineProgram, EdgeRectangleProgram, drawDiscNodeLabel } from 'sigma/rendering'
import type { Settings } from 'sigma/settings'
import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types'

import { oneLine } from '../../parts/plain'
import { layOut, matrices, roundsFor, settingsFor, tellingFor, type Placed } from './layout'
import { colours, edgeLookOf, lookOf, shapeNumber, TYPE_NAMES, type Colours } from './looks'
import { beginnings, sizeOf, sortOf, type Graph } from './model'
import { ShapeProgram } from './shapes'

interface NodeAttributes {
  x: number
  y: number
  size: number
  label: string
  sort: string
  shape: number
  type: 'shape'
}
interface EdgeAttributes {
  kind: string
  size: number
  type: 'arrow' | 'line'
}
type Drawn = Sigma<NodeAttributes, EdgeAttributes>

export interface Told {
  hovered: (id: string) => void
  chosen: (id: string) => void
  /** The layout goes on (true) or has settled. */
  moving: (busy: boolean) => void
}

const MANY_EDGES = 4000
const FEW_NODES = 60
const LONGEST_LABEL = 44

/** The graph on a canvas. Everything on it can be had from the list beside it too. */
export class Picture {
  #graph = new MultiGraph<NodeAttributes, EdgeAttributes>()
  #sigma: Drawn
  #told: Told
  #order: string[]
  #colour: Colours = colours()
  #paint = paintOf(this.#colour)
  #hovered = ''
  #chosen = ''
  #near: Set<string> | undefined
  #sorts: ReadonlySet<string> = new Set()
  #kinds: ReadonlySet<string> = new Set()
  #stop: () => void = () => {}
  #watch = new ResizeObserver(() => {
    this.#sigma.resize()
    this.#sigma.scheduleRender()
  })

  constructor(place: HTMLElement, graph: Graph, told: Told) {
    this.#told = told
    this.#fill(graph)
    this.#order = this.#graph.nodes()
    this.#sigma = new Sigma(this.#graph, place, this.#settings(graph))
    this.#watch.observe(place)
    this.#listen()
    this.#layOut(graph)
  }

  /** Leave out types and kinds of edges. Nodes keep their places. */
  without(sorts: ReadonlySet<string>, kinds: ReadonlySet<string>): void {
    if (sorts.size + kinds.size + this.#sorts.size + this.#kinds.size === 0) return
    this.#sorts = sorts
    this.#kinds = kinds
    this.#draw()
  }

  choose(id: string): void {
    const chosen = this.#graph.hasNode(id) ? id : ''
    if (chosen === this.#chosen) return
    this.#chosen = chosen
    this.#draw()
  }

  /** Bring a node to the middle. */
  focus(id: string): void {
    const at = this.#sigma.getNodeDisplayData(id)
    const { ratio } = this.#sigma.getCamera()
    if (at) this.#look({ x: at.x, y: at.y, ratio: Math.min(ratio, 0.35) })
  }

  closer(): void {
    this.#look({ ratio: this.#sigma.getCamera().ratio / 1.5 })
  }

  farther(): void {
    this.#look({ ratio: this.#sigma.getCamera().ratio * 1.5 })
  }

  whole(): void {
    this.#look({ x: 0.5, y: 0.5, ratio: 1 })
  }

  move(x: number, y: number): void {
    const camera = this.#sigma.getCamera()
    camera.setState({ x: camera.x + x * 0.1 * camera.ratio, y: camera.y + y * 0.1 * camera.ratio })
  }

  /** The theme changed. */
  recolour(): void {
    this.#colour = colours()
    this.#paint = paintOf(this.#colour)
    this.#sigma.setSetting('labelColor', { color: this.#colour('--text') })
    this.#draw()
  }

  end(): void {
    this.#stop()
    this.#watch.disconnect()
    this.#sigma.kill()
  }

  #look(at: { x?: number; y?: number; ratio: number }): void {
    const camera = this.#sigma.getCamera()
    if (still()) camera.setState(camera.validateState(at))
    else void camera.animate(at, { duration: 250 })
  }

  #fill(graph: Graph): void {
    const at = beginnings(graph.nodes)
    for (const node of graph.nodes) {
      if (this.#graph.hasNode(node.id)) continue
      const sort = sortOf(node)
      this.#graph.addNode(node.id, {
        ...(at.get(node.id) ?? { x: 0, y: 0 }),
        size: sizeOf(node.degree ?? 0),
        label: oneLine(node.title || node.id, LONGEST_LABEL),
        sort,
        shape: shapeNumber(lookOf(sort).shape),
        type: 'shape',
      })
    }
    for (const { source, target, kind } of graph.edges) {
      const look = edgeLookOf(kind)
      this.#graph.addEdge(source, target, { kind, size: look.size, type: look.arrow ? 'arrow' : 'line' })
    }
  }

  #settings(graph: Graph): Partial<Settings<NodeAttributes, EdgeAttributes>> {
    const edges = graph.edges.length
    const few = graph.nodes.length < FEW_NODES
    return {
      allowInvalidContainer: true,
      defaultNodeType: 'shape',
      nodeProgramClasses: { shape: ShapeProgram },
      // Thin lines are one call without thickness: what thousands of them look like anyway.
      edgeProgramClasses: { line: edges > MANY_EDGES ? EdgeLineProgram : EdgeRectangleProgram, arrow: EdgeArrowProgram },
      hideEdgesOnMove: edges > MANY_EDGES,
      labelFont: getComputedStyle(document.body).fontFamily,
      labelSize: 12,
      labelWeight: '500',
      labelColor: { color: this.#colour('--text') },
      labelDensity: few ? 1 : 0.6,
      labelGridCellSize: few ? 80 : 120,
      labelRenderedSizeThreshold: few ? 0 : 7,
      zIndex: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      stagePadding: 40,
      nodeReducer: (id, data) => this.#node(id, data),
      edgeReducer: (id, data) => this.#edge(id, data),
      defaultDrawNodeHover: (context, data, settings) => this.#hover(context, data, settings),
    }
  }

  // Sigma gives a copy of the attributes: it is filled in place, since thousands are asked for in one frame.
  #node(id: string, data: NodeAttributes & Partial<NodeDisplayData>): Partial<NodeDisplayData> {
    const main = this.#hovered || this.#chosen
    data.hidden = this.#sorts.has(data.sort)
    data.color = this.#paint.nodes[data.sort] ?? this.#paint.other
    if (id === main) {
      data.size += 3
      data.highlighted = data.forceLabel = true
      data.zIndex = 2
    } else if (this.#near?.has(id)) {
      data.forceLabel = this.#near.size < 30
      data.zIndex = 1
    } else if (this.#near) {
      data.color = this.#paint.quiet
      data.label = ''
      data.zIndex = 0
    }
    return data
  }

  #edge(id: string, data: EdgeAttributes & Partial<EdgeDisplayData>): Partial<EdgeDisplayData> {
    const main = this.#hovered || this.#chosen
    const touches = main !== '' && this.#graph.hasExtremity(id, main)
    const paint = this.#paint.edges(data.kind)
    data.hidden = this.#kinds.has(data.kind) || (main !== '' && !touches)
    data.color = touches ? paint.strong : paint.plain
    if (touches) data.size += 0.8
    return data
  }

  /** Sigma's own is white in every theme. */
  #hover(context: CanvasRenderingContext2D, data: Parameters<typeof drawDiscNodeLabel>[1], settings: Settings<NodeAttributes, EdgeAttributes>): void {
    const { labelSize, labelFont, labelWeight } = settings
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`
    const width = context.measureText(data.label ?? '').width
    context.fillStyle = this.#colour('--surface')
    context.strokeStyle = this.#colour('--line-strong')
    context.beginPath()
    context.roundRect(data.x + data.size + 1, data.y - labelSize / 2 - 5, width + 10, labelSize + 10, 4)
    context.fill()
    context.stroke()
    drawDiscNodeLabel(context, { ...data, x: data.x + 3 }, settings as never)
  }

  #listen(): void {
    this.#sigma.on('enterNode', ({ node }) => this.#point(node))
    this.#sigma.on('leaveNode', () => this.#point(''))
    this.#sigma.on('clickNode', ({ node }) => this.#told.chosen(node))
    this.#sigma.on('clickStage', () => this.#told.chosen(''))
  }

  #point(id: string): void {
    this.#hovered = id
    this.#told.hovered(id)
    this.#draw()
  }

  #draw(): void {
    const main = this.#hovered || this.#chosen
    this.#near = main ? new Set(this.#graph.neighbors(main)) : undefined
    this.#sigma.refresh({ skipIndexation: true })
  }

  #layOut(graph: Graph): void {
    const nodes = this.#order.map((id) => ({ id, ...this.#graph.getNodeAttributes(id) }))
    const count = nodes.length
    const asked = { ...matrices(nodes, graph.edges), settings: settingsFor(count), most: roundsFor(count), every: tellingFor(count) }
    this.#told.moving(true)
    this.#stop = layOut(asked, (found) => this.#placed(found), () => this.#told.moving(false))
  }

  #placed({ positions, over }: Placed): void {
    // Someone who wants no motion sees the picture when it is done.
    if (over || !still()) {
      let at = 0
      this.#graph.updateEachNodeAttributes(
        (_, data) => {
          data.x = positions[at++] ?? 0
          data.y = positions[at++] ?? 0
          return data
        },
        { attributes: ['x', 'y'] },
      )
    }
    if (over) this.#told.moving(false)
  }
}

interface Paint {
  nodes: Record<string, string>
  other: string
  quiet: string
  edges: (kind: string) => { plain: string; strong: string }
}

/** Colours looked up once for each type and kind. */
function paintOf(colour: Colours): Paint {
  const edges: Record<string, { plain: string; strong: string }> = {}
  return {
    nodes: Object.fromEntries(TYPE_NAMES.map((sort) => [sort, colour(lookOf(sort).colour)])),
    other: colour(lookOf('').colour),
    quiet: colour('--line'),
    edges: (kind) => {
      const { colour: variable, strength } = edgeLookOf(kind)
      return (edges[kind] ??= { plain: colour(variable, strength), strong: colour(variable) })
    },
  }
}

function still(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
