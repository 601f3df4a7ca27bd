/** Nodes and edges onto a canvas, in a worker or on the page. */
import { shows, type Asked, type Scene } from './scene'
import { HOLE, trace, type ShapeName } from './shapes'
import { toScreen } from './view'

type Pen = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** Paths of many parts are slow to fill, many paths too: these lie between. */
const TOGETHER = 64
const ARROW = 7
/** Many lines are drawn thinner: they are a weave then, and the nodes stand out. */
const MANY = 2500

/** The whole picture, with its margin. */
export function drawAll(pen: Pen, scene: Scene, asked: Asked): void {
  const { size, margin, ratio } = asked
  pen.setTransform(ratio, 0, 0, ratio, margin.wide * ratio, margin.high * ratio)
  pen.clearRect(-margin.wide, -margin.high, size.wide + 2 * margin.wide, size.high + 2 * margin.high)
  const seen = projected(scene, asked)
  // What says most is drawn last, over the others.
  for (let kind = scene.paint.edges.length - 1; kind >= 0; kind--) drawEdges(pen, scene, asked, seen, kind)
  for (let sort = 0; sort < scene.paint.nodes.length; sort++) drawNodes(pen, scene, asked, seen, sort)
}

/** Where nodes are on the screen: x and y of each. */
export function projected(scene: Scene, { camera, size }: Pick<Asked, 'camera' | 'size'>): Float32Array {
  const seen = new Float32Array(scene.positions.length)
  for (let at = 0; at < seen.length; at += 2) {
    seen[at] = ((scene.positions[at] ?? 0) - camera.x) * camera.scale + size.wide / 2
    seen[at + 1] = ((scene.positions[at + 1] ?? 0) - camera.y) * camera.scale + size.high / 2
  }
  return seen
}

function drawEdges(pen: Pen, scene: Scene, asked: Asked, seen: Float32Array, kind: number): void {
  const paint = scene.paint.edges[kind]
  if (!paint || scene.noKinds[kind]) return
  const { size, margin } = asked
  const [left, top, right, bottom] = [-margin.wide, -margin.high, size.wide + margin.wide, size.high + margin.high]
  const arrows: number[] = []
  let parts = 0
  pen.strokeStyle = paint.plain
  pen.lineWidth = scene.kinds.length > MANY ? paint.size * 0.6 : paint.size
  pen.beginPath()
  for (let edge = 0; edge < scene.kinds.length; edge++) {
    if (scene.kinds[edge] !== kind) continue
    const [from, to] = [scene.ends[2 * edge] ?? 0, scene.ends[2 * edge + 1] ?? 0]
    if (!shows(scene, from) || !shows(scene, to)) continue
    const [x, y, farX, farY] = [seen[2 * from] ?? 0, seen[2 * from + 1] ?? 0, seen[2 * to] ?? 0, seen[2 * to + 1] ?? 0]
    if (Math.max(x, farX) < left || Math.min(x, farX) > right || Math.max(y, farY) < top || Math.min(y, farY) > bottom) continue
    pen.moveTo(x, y)
    pen.lineTo(farX, farY)
    if (paint.arrow) arrows.push(edge)
    if (++parts % TOGETHER) continue
    pen.stroke()
    pen.beginPath()
  }
  pen.stroke()
  for (const edge of arrows) drawArrow(pen, scene, asked, edge, paint.plain)
}

/** At the edge of the node that it leads to. */
export function drawArrow(pen: Pen, scene: Scene, { camera, size, swell }: Pick<Asked, 'camera' | 'size' | 'swell'>, edge: number, colour: string): void {
  const [from, to] = [scene.ends[2 * edge] ?? 0, scene.ends[2 * edge + 1] ?? 0]
  const start = toScreen(camera, size, scene.positions[2 * from] ?? 0, scene.positions[2 * from + 1] ?? 0)
  const end = toScreen(camera, size, scene.positions[2 * to] ?? 0, scene.positions[2 * to + 1] ?? 0)
  const long = Math.hypot(end.x - start.x, end.y - start.y)
  const reach = (scene.sizes[to] ?? 0) * swell
  if (long < reach + ARROW) return
  const [right, down] = [(end.x - start.x) / long, (end.y - start.y) / long]
  const [x, y] = [end.x - right * reach, end.y - down * reach]
  pen.fillStyle = colour
  pen.beginPath()
  pen.moveTo(x, y)
  pen.lineTo(x - right * ARROW - down * ARROW * 0.5, y - down * ARROW + right * ARROW * 0.5)
  pen.lineTo(x - right * ARROW + down * ARROW * 0.5, y - down * ARROW - right * ARROW * 0.5)
  pen.fill()
}

function drawNodes(pen: Pen, scene: Scene, { size, margin, swell }: Asked, seen: Float32Array, sort: number): void {
  const paint = scene.paint.nodes[sort]
  if (!paint || scene.noSorts[sort]) return
  const batch: number[] = []
  for (let at = 0; at < scene.sorts.length; at++) {
    if (scene.sorts[at] !== sort) continue
    const [x, y, reach] = [seen[2 * at] ?? 0, seen[2 * at + 1] ?? 0, (scene.sizes[at] ?? 0) * swell]
    if (x < -margin.wide - reach || x > size.wide + margin.wide + reach || y < -margin.high - reach || y > size.high + margin.high + reach) continue
    batch.push(x, y, reach)
    if (batch.length === 3 * TOGETHER) drawShapes(pen, paint, scene.paint.ground, batch.splice(0))
  }
  drawShapes(pen, paint, scene.paint.ground, batch)
}

/** Some nodes of one sort: x, y and reach of each. A rim of the ground keeps those apart that touch. */
export function drawShapes(pen: Pen, { colour, shape }: { colour: string; shape: ShapeName }, ground: string, nodes: readonly number[], rim = ground, thick = 1): void {
  const path = (part: number) => {
    pen.beginPath()
    for (let at = 0; at < nodes.length; at += 3) trace(pen, shape, nodes[at] ?? 0, nodes[at + 1] ?? 0, (nodes[at + 2] ?? 0) * part)
  }
  path(1)
  pen.strokeStyle = rim
  pen.lineWidth = thick
  pen.stroke()
  pen.fillStyle = colour
  pen.fill()
  if (shape !== 'ring') return
  path(HOLE)
  pen.fillStyle = ground
  pen.fill()
}
