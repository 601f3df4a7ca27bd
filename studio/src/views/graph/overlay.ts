/** What lies over the picture: the names, and what is pointed at or chosen with its neighbours. */
import { drawArrow, drawShapes } from './drawing'
import type { Place } from './gestures'
import { HIGH, mostFor, placed, SIDE, type Box, type Label, type Wanted } from './labels'
import type { Colours } from './looks'
import { edgesOf, shows, type Scene } from './scene'
import { toScreen, type Camera, type Size } from './view'

/** What is seen at the moment. */
export interface Sight {
  scene: Scene
  camera: Camera
  size: Size
  swell: number
  colour: Colours
  /** The node that is pointed at or chosen, -1 for none: then it and its neighbours are drawn and named, and no others. */
  main: number
  /** Whether nodes are named at all. */
  named: boolean
}

const FONT_SIZE = 12
/** With more nodes in sight, names cannot keep off them. */
const SPARSE = 400
/** Where the buttons lie, at the right and below. */
const BUTTONS: Size = { wide: 130, high: 48 }

export class Overlay {
  readonly canvas = document.createElement('canvas')
  #pen = this.canvas.getContext('2d')
  #font = `500 ${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`
  #texts: readonly string[]
  #widths: Float32Array
  #edges: Map<number, number[]>
  /** All nodes, the most important first. */
  #order: number[]

  constructor(scene: Scene, texts: readonly string[]) {
    this.#texts = texts
    this.#widths = new Float32Array(texts.length)
    this.#edges = edgesOf(scene)
    this.#order = texts.map((_, at) => at).sort((one, other) => (scene.sizes[other] ?? 0) - (scene.sizes[one] ?? 0) || one - other)
  }

  /** Draw it; how many names were written. */
  draw(sight: Sight): number {
    const pen = this.#cleared(sight.size)
    if (!pen) return 0
    const order = sight.main < 0 ? this.#order : [sight.main, ...this.#highlight(pen, sight)]
    const nodes = obstacles(sight, order)
    const most = mostFor(sight.size, !nodes.length)
    const labels = sight.named || sight.main >= 0 ? placed(this.#wanted(pen, sight, order), sight.size, most, [...nodes, buttons(sight.size)]) : []
    for (const label of labels) this.#label(pen, label, sight)
    return labels.length
  }

  #cleared({ wide, high }: Size): CanvasRenderingContext2D | null {
    const [across, down] = [Math.round(wide * devicePixelRatio), Math.round(high * devicePixelRatio)]
    if (this.canvas.width !== across || this.canvas.height !== down) {
      Object.assign(this.canvas, { width: across, height: down })
      Object.assign(this.canvas.style, { width: `${wide}px`, height: `${high}px` })
    }
    this.#pen?.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    this.#pen?.clearRect(0, 0, wide, high)
    return this.#pen
  }

  /** A node over the quiet picture, with its edges; gives back its neighbours. */
  #highlight(pen: CanvasRenderingContext2D, sight: Sight): number[] {
    const { scene, main } = sight
    const other = (edge: number) => (scene.ends[2 * edge] === main ? scene.ends[2 * edge + 1] : scene.ends[2 * edge]) ?? main
    const edges = (this.#edges.get(main) ?? []).filter((edge) => !scene.noKinds[scene.kinds[edge] ?? 0] && shows(scene, other(edge)))
    for (const edge of edges) drawEdge(pen, sight, edge, screen(sight, main), screen(sight, other(edge)))
    const beside = [...new Set(edges.map(other))]
    for (const at of [...beside, main]) drawNode(pen, sight, at)
    return beside
  }

  *#wanted(pen: CanvasRenderingContext2D, sight: Sight, order: readonly number[]): Generator<Wanted> {
    pen.font = this.#font
    for (const at of order) {
      if (!inSight(sight, at)) continue
      const reach = (sight.scene.sizes[at] ?? 0) * sight.swell
      const wide = (this.#widths[at] ||= pen.measureText(this.#texts[at] ?? '').width)
      yield { at, ...screen(sight, at), reach, wide, must: at === sight.main }
    }
  }

  #label(pen: CanvasRenderingContext2D, { at, left, top, wide }: Label, { colour, main }: Sight): void {
    // A ground of its own: it is read over edges and nodes.
    pen.globalAlpha = at === main ? 1 : 0.82
    pen.fillStyle = colour('--surface')
    pen.strokeStyle = colour('--line-strong')
    pen.lineWidth = 1
    pen.beginPath()
    pen.roundRect(left, top, wide, HIGH, 4)
    pen.fill()
    if (at === main) pen.stroke()
    pen.globalAlpha = 1
    pen.fillStyle = colour('--text')
    pen.textBaseline = 'middle'
    pen.fillText(this.#texts[at] ?? '', left + SIDE, top + HIGH / 2 + 0.5)
  }
}

function screen({ scene, camera, size }: Sight, at: number): Place {
  return toScreen(camera, size, scene.positions[2 * at] ?? 0, scene.positions[2 * at + 1] ?? 0)
}

function inSight(sight: Sight, at: number): boolean {
  const { x, y } = screen(sight, at)
  return x >= 0 && y >= 0 && x <= sight.size.wide && y <= sight.size.high && shows(sight.scene, at)
}

/** The nodes that names shall keep off: those in sight, unless there are too many. */
function obstacles(sight: Sight, order: readonly number[]): Box[] {
  const found: Box[] = []
  for (const at of order) {
    if (!inSight(sight, at)) continue
    const { x, y } = screen(sight, at)
    const reach = (sight.scene.sizes[at] ?? 0) * sight.swell
    found.push({ left: x - reach, top: y - reach, wide: 2 * reach, high: 2 * reach })
    if (found.length > SPARSE) return []
  }
  return found
}

function buttons({ wide, high }: Size): Box {
  return { left: wide - BUTTONS.wide, top: high - BUTTONS.high, ...BUTTONS }
}

function drawEdge(pen: CanvasRenderingContext2D, sight: Sight, edge: number, from: Place, to: Place): void {
  const paint = sight.scene.paint.edges[sight.scene.kinds[edge] ?? 0]
  if (!paint) return
  pen.strokeStyle = paint.strong
  pen.lineWidth = paint.size + 0.8
  pen.beginPath()
  pen.moveTo(from.x, from.y)
  pen.lineTo(to.x, to.y)
  pen.stroke()
  if (paint.arrow) drawArrow(pen, sight.scene, sight, edge, paint.strong)
}

function drawNode(pen: CanvasRenderingContext2D, sight: Sight, at: number): void {
  const { scene, swell, colour } = sight
  const paint = scene.paint.nodes[scene.sorts[at] ?? 0]
  if (!paint) return
  const { x, y } = screen(sight, at)
  const main = at === sight.main
  const reach = (scene.sizes[at] ?? 0) * swell + (main ? 2 : 0)
  drawShapes(pen, paint, scene.paint.ground, [x, y, reach], main ? colour('--text') : scene.paint.ground, main ? 4 : 2)
}
