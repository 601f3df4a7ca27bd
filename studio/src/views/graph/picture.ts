import { oneLine } from '../../parts/plain'
import { listen, type Place } from './gestures'
import { gathered, layOut, matrices, parted, roundsFor, settingsFor, type Placed } from './layout'
import { colours, type Colours } from './looks'
import type { Graph } from './model'
import { Overlay, type Sight } from './overlay'
import { namesOf, nodeAt, paintOf, sceneOf, shows, type Asked, type Named, type Scene } from './scene'
import { alike, fitting, laid, nearer, serves, toGraph, zoomed, type Camera, type Drawn, type Limits, type Size } from './view'

export interface Told {
  chosen: (id: string) => void
  /** The layout goes on (true) or has settled. */
  moving: (busy: boolean) => void
  /** It cannot be drawn. */
  failed: (why: string) => void
}

const LONGEST_LABEL = 30
/** How much of the way the camera goes in a frame. */
const GLIDE = 0.28
/** A picture that still serves is drawn anew when the reader rests. */
const REST = 120
const MARGIN = 0.2
/** Milliseconds between two tellings of the layout. */
const TELLING = 150
/** On the largest screens the picture is a little coarser rather than slow. */
const MOST_PIXELS = 16_000_000
/** How far beside a node one may point. */
const SLACK = 3
/** So much room a node has at least, in square pixels, before it is drawn smaller. */
const ROOM = 420

/**
 * The graph on a canvas. A worker draws all nodes and edges onto a picture that is larger than the view; the page lays
 * that picture where the camera looks, and writes the names over it. Everything on it can be had from the list too.
 */
export class Picture {
  #place: HTMLElement
  #told: Told
  #ids: string[]
  #numbers: Map<string, number>
  #named: Named
  #scene: Scene
  #overlay: Overlay
  #colour: Colours = colours()
  #base = document.createElement('canvas')
  #worker: Worker
  #changed: Partial<Scene> | undefined
  #asked: Drawn | undefined
  #drawn: Drawn | undefined
  #size: Size = { wide: 1, high: 1 }
  #fit: Camera = { x: 0, y: 0, scale: 1 }
  #camera = this.#fit
  #target = this.#fit
  /** Whether the reader looks at something of their own choice: then the picture stays where it is. */
  #led = false
  #settled = false
  #hovered = -1
  #chosen = -1
  #frame = 0
  #rest: ReturnType<typeof setTimeout> | undefined
  #ends: (() => void)[] = []

  constructor(place: HTMLElement, graph: Graph, told: Told) {
    if (typeof OffscreenCanvas === 'undefined') throw new Error('OffscreenCanvas')
    this.#worker = new Worker(new URL('./draw.worker.ts', import.meta.url), { type: 'module' })
    this.#place = place
    this.#told = told
    this.#ids = graph.nodes.map(({ id }) => id)
    this.#numbers = new Map(this.#ids.map((id, at) => [id, at]))
    this.#named = namesOf(graph)
    this.#scene = sceneOf(graph, this.#named, paintOf(this.#named, this.#colour))
    this.#changed = this.#scene
    this.#overlay = new Overlay(this.#scene, graph.nodes.map(({ title, id }) => oneLine(title || id, LONGEST_LABEL)))
    this.#begin()
    this.#layOut(graph)
  }

  /** Leave out types and kinds of edges. Nodes keep their places. */
  without(sorts: ReadonlySet<string>, kinds: ReadonlySet<string>): void {
    const noSorts = Uint8Array.from(this.#named.sorts, (sort) => Number(sorts.has(sort)))
    const noKinds = Uint8Array.from(this.#named.kinds, (kind) => Number(kinds.has(kind)))
    if (`${noSorts} ${noKinds}` === `${this.#scene.noSorts} ${this.#scene.noKinds}`) return
    this.#change({ noSorts, noKinds })
  }

  choose(id: string): void {
    const chosen = this.#numbers.get(id) ?? -1
    if (chosen === this.#chosen) return
    this.#chosen = chosen
    this.#soon()
  }

  /** Bring a node to the middle. */
  focus(id: string): void {
    const at = this.#numbers.get(id)
    if (at === undefined) return
    const [x, y] = [this.#scene.positions[2 * at] ?? 0, this.#scene.positions[2 * at + 1] ?? 0]
    this.#look({ x, y, scale: Math.max(this.#target.scale, this.#fit.scale * 3) })
  }

  closer(): void {
    this.#look(zoomed(this.#target, this.#size, 1.5, this.#middle, this.#limits))
  }

  farther(): void {
    this.#look(zoomed(this.#target, this.#size, 1 / 1.5, this.#middle, this.#limits))
  }

  whole(): void {
    this.#look(this.#fit)
    this.#led = false
  }

  /** By a part of the view: right and up. */
  move(right: number, up: number): void {
    const { x, y, scale } = this.#target
    this.#look({ x: x + (right * 0.15 * this.#size.wide) / scale, y: y - (up * 0.15 * this.#size.high) / scale, scale })
  }

  /** The theme changed. */
  recolour(): void {
    this.#colour = colours()
    this.#change({ paint: paintOf(this.#named, this.#colour) })
  }

  end(): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#rest)
    this.#worker.terminate()
    for (const end of this.#ends) end()
    this.#base.remove()
    this.#overlay.canvas.remove()
  }

  #begin(): void {
    for (const canvas of [this.#base, this.#overlay.canvas]) {
      Object.assign(canvas.style, { position: 'absolute', left: '0', top: '0', transformOrigin: '0 0', pointerEvents: 'none' })
      this.#place.append(canvas)
    }
    if (!still()) this.#base.style.transition = 'opacity 120ms'
    this.#worker.onmessage = ({ data }: MessageEvent<{ bitmap: ImageBitmap }>) => this.#show(data.bitmap)
    this.#worker.onerror = (event) => this.#told.failed(event.message)
    const watch = new ResizeObserver(() => this.#resized())
    watch.observe(this.#place)
    this.#resized()
    this.#ends.push(() => watch.disconnect())
    this.#ends.push(
      listen(this.#place, {
        pan: (right, down) => this.#pan(right, down),
        zoom: (by, at, jump) => this.#look(zoomed(this.#target, this.#size, by, at, this.#limits), jump),
        point: (at) => this.#point(at ? this.#at(at) : -1),
        press: (at) => this.#told.chosen(this.#ids[this.#at(at)] ?? ''),
      }),
    )
  }

  get #middle(): Place {
    return { x: this.#size.wide / 2, y: this.#size.high / 2 }
  }

  get #limits(): Limits {
    return { least: this.#fit.scale / 4, most: Math.max(this.#fit.scale * 50, 8) }
  }

  /** How much larger nodes are drawn than their size says: small where thousands are seen, larger the nearer one is. */
  #swell(scale: number): number {
    const room = Math.min(1, Math.sqrt((this.#size.wide * this.#size.high) / (ROOM * Math.max(1, this.#ids.length))))
    return Math.min(1.6, Math.max(0.3, room * (scale / this.#fit.scale) ** 0.4))
  }

  #resized(): void {
    this.#size = { wide: this.#place.clientWidth || 1, high: this.#place.clientHeight || 1 }
    this.#refit()
    this.#soon()
  }

  /** Everything in sight, unless the reader looks somewhere. */
  #refit(): void {
    this.#fit = fitting(this.#scene.positions, () => true, this.#size)
    if (!this.#led) this.#camera = this.#target = this.#fit
  }

  #look(camera: Camera, jump = false): void {
    this.#led = true
    this.#target = camera
    if (jump || still()) this.#camera = camera
    this.#soon()
  }

  #pan(right: number, down: number): void {
    const { x, y, scale } = this.#camera
    this.#look({ x: x - right / scale, y: y - down / scale, scale }, true)
    this.#point(-1)
  }

  #at(at: Place): number {
    const { x, y } = toGraph(this.#camera, this.#size, at.x, at.y)
    const { scale } = this.#camera
    return nodeAt(this.#scene, x, y, this.#swell(scale) / scale, SLACK / scale)
  }

  #point(at: number): void {
    if (at === this.#hovered) return
    this.#hovered = at
    this.#place.style.cursor = at < 0 ? '' : 'pointer'
    this.#soon()
  }

  #change(changed: Partial<Scene>): void {
    this.#scene = { ...this.#scene, ...changed }
    this.#changed = { ...this.#changed, ...changed }
    this.#soon()
  }

  #soon(): void {
    this.#place.dataset['sharp'] = 'false'
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      this.#step()
    })
  }

  #step(): void {
    if (!alike(this.#camera, this.#target)) {
      this.#camera = nearer(this.#camera, this.#target, GLIDE)
      this.#soon()
    } else this.#camera = this.#target
    this.#lay()
    this.#place.dataset['labels'] = String(this.#overlay.draw(this.#sight))
    this.#ask()
    const drawn = this.#drawn && same(this.#drawn.size, this.#size) && alike(this.#drawn.camera, this.#target)
    this.#place.dataset['sharp'] = String(!!drawn && !this.#changed && !this.#asked)
  }

  /** Ask the worker for a picture: at once where the one we have does not serve, else when the reader rests. */
  #ask(): void {
    if (this.#asked) return
    clearTimeout(this.#rest)
    const drawn = this.#drawn
    if (!drawn || this.#changed || !serves(drawn, this.#camera, this.#size)) return this.#send()
    if (!same(drawn.size, this.#size) || !alike(drawn.camera, this.#camera)) this.#rest = setTimeout(() => this.#send(), REST)
  }

  #send(): void {
    if (this.#asked) return
    const margin = { wide: Math.round(this.#size.wide * MARGIN), high: Math.round(this.#size.high * MARGIN) }
    this.#asked = { camera: this.#camera, size: this.#size, margin }
    const pixels = (this.#size.wide + 2 * margin.wide) * (this.#size.high + 2 * margin.high)
    const ratio = Math.min(devicePixelRatio, Math.sqrt(MOST_PIXELS / pixels))
    const asked: Asked = { ...this.#changed, ...this.#asked, swell: this.#swell(this.#camera.scale), ratio }
    this.#changed = undefined
    this.#worker.postMessage(asked)
  }

  #show(bitmap: ImageBitmap): void {
    const drawn = this.#asked
    this.#asked = undefined
    if (!drawn) return
    this.#drawn = drawn
    const { size, margin } = drawn
    const [wide, high] = [size.wide + 2 * margin.wide, size.high + 2 * margin.high]
    Object.assign(this.#base.style, { width: `${wide}px`, height: `${high}px`, left: `${-margin.wide}px`, top: `${-margin.high}px` })
    if (this.#base.width !== bitmap.width) this.#base.width = bitmap.width
    if (this.#base.height !== bitmap.height) this.#base.height = bitmap.height
    this.#base.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap)
    this.#lay()
    this.#soon()
  }

  #lay(): void {
    if (!this.#drawn) return
    const { x, y, scale } = laid(this.#drawn, this.#camera, this.#size)
    this.#base.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
    this.#base.style.opacity = this.#main < 0 ? '1' : '0.18'
  }

  get #sight(): Sight {
    const [camera, size] = [this.#camera, this.#size]
    return { scene: this.#scene, camera, size, swell: this.#swell(camera.scale), colour: this.#colour, main: this.#main, named: this.#settled }
  }

  get #main(): number {
    const main = this.#hovered < 0 ? this.#chosen : this.#hovered
    return main >= 0 && shows(this.#scene, main) ? main : -1
  }

  #layOut(graph: Graph): void {
    const { positions, sizes } = this.#scene
    const parts = parted(graph.nodes, graph.edges)
    const nodes = parts.bound.map((at) => ({ id: this.#ids[at] ?? '', x: positions[2 * at] ?? 0, y: positions[2 * at + 1] ?? 0, size: sizes[at] ?? 0 }))
    const asked = { ...matrices(nodes, graph.edges), settings: settingsFor(nodes.length), most: roundsFor(nodes.length), every: TELLING }
    this.#told.moving(true)
    this.#ends.push(layOut(asked, ({ positions, ...rest }) => this.#placed({ positions: gathered(positions, parts), ...rest }), () => this.#settle()))
  }

  #placed({ positions, over }: Placed): void {
    // Someone who wants no motion sees the picture when it is done.
    if (over || !still()) {
      this.#change({ positions })
      this.#refit()
    }
    if (over) this.#settle()
  }

  #settle(): void {
    this.#settled = true
    this.#told.moving(false)
    this.#soon()
  }
}

function same(one: Size, other: Size): boolean {
  return one.wide === other.wide && one.high === other.high
}

function still(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
