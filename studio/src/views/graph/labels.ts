/** Which names are written, and where: the most important first, and no two over each other. Pure. */
import type { Size } from './view'

/** A name that wants a place beside its node. */
export interface Wanted {
  /** Whose it is. */
  at: number
  /** The node's middle on the screen, and how far it reaches. */
  x: number
  y: number
  reach: number
  /** How wide the name is. */
  wide: number
  /** It is written whatever lies there: pushed into the view, and over nodes. */
  must?: boolean
}

export interface Box {
  left: number
  top: number
  wide: number
  high: number
}

export interface Label extends Box {
  at: number
}

export const HIGH = 18
export const SIDE = 5
const GAP = 2
/** Room around a name that no other takes. */
const APART = 3
const CELL = 96

/** How many names a picture bears and is still calm; over a crowd of nodes, half of that. */
export function mostFor({ wide, high }: Size, crowded = false): number {
  return Math.max(4, Math.min(40, Math.round((wide * high) / (crowded ? 40_000 : 20_000))))
}

/**
 * Places for names, given in the order of their importance: right of the node, left of it, below or above, else none.
 * `nodes`: what names shall not lie on, where there is room enough for that.
 */
export function placed(wanted: Iterable<Wanted>, size: Size, most: number, nodes: Iterable<Box> = []): Label[] {
  const [names, shapes] = [new Taken(), new Taken()]
  for (const node of nodes) shapes.add(node)
  const found: Label[] = []
  for (const one of wanted) {
    if (found.length >= most) break
    const fits = (label: Label) => within(label, size) && names.free(wider(label)) && (one.must || shapes.free(label))
    const label = sides(one).find(fits) ?? (one.must ? pushed(sides(one)[0]!, size) : undefined)
    if (!label || (one.must && !names.free(label))) continue
    names.add(label)
    found.push(label)
  }
  return found
}

export function overlap(one: Box, other: Box): boolean {
  return one.left < other.left + other.wide && other.left < one.left + one.wide && one.top < other.top + other.high && other.top < one.top + one.high
}

function sides({ at, x, y, reach, wide }: Wanted): Label[] {
  const [middle, high, whole] = [y - HIGH / 2, HIGH, wide + 2 * SIDE]
  return [
    { at, left: x + reach + GAP, top: middle, wide: whole, high },
    { at, left: x - reach - GAP - whole, top: middle, wide: whole, high },
    { at, left: x - whole / 2, top: y + reach + GAP, wide: whole, high },
    { at, left: x - whole / 2, top: y - reach - GAP - HIGH, wide: whole, high },
  ]
}

function wider({ left, top, wide, high }: Box): Box {
  return { left: left - APART, top: top - APART, wide: wide + 2 * APART, high: high + 2 * APART }
}

function pushed(label: Label, size: Size): Label {
  const into = (start: number, long: number, all: number) => Math.max(0, Math.min(start, all - long))
  return { ...label, left: into(label.left, label.wide, size.wide), top: into(label.top, label.high, size.high) }
}

function within({ left, top, wide, high }: Box, size: Size): boolean {
  return left >= 0 && top >= 0 && left + wide <= size.wide && top + high <= size.high
}

/** What lies where already, by the squares it lies in. */
class Taken {
  #cells = new Map<number, Box[]>()

  free(box: Box): boolean {
    return squares(box).every((key) => (this.#cells.get(key) ?? []).every((other) => !overlap(box, other)))
  }

  add(box: Box): void {
    for (const key of squares(box)) {
      const known = this.#cells.get(key)
      if (known) known.push(box)
      else this.#cells.set(key, [box])
    }
  }
}

function squares({ left, top, wide, high }: Box): number[] {
  const found: number[] = []
  for (let column = Math.floor(left / CELL); column <= Math.floor((left + wide) / CELL); column++)
    for (let row = Math.floor(top / CELL); row <= Math.floor((top + high) / CELL); row++) found.push(column * 4096 + row)
  return found
}
