/** Where one looks: a camera over the graph, and how places of the graph and of the screen answer each other. Pure. */
export interface Size {
  wide: number
  high: number
}

/** The place in the middle, and how many pixels one unit of the graph takes. */
export interface Camera {
  x: number
  y: number
  scale: number
}

export interface Limits {
  least: number
  most: number
}

export const PADDING = 36

/** The camera that shows everything. `positions`: x and y of each node; `there` leaves some out. */
export function fitting(positions: Float32Array, there: (at: number) => boolean, { wide, high }: Size): Camera {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let at = 0; at < positions.length / 2; at++) {
    if (!there(at)) continue
    const [x, y] = [positions[2 * at] ?? 0, positions[2 * at + 1] ?? 0]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  if (left > right) return { x: 0, y: 0, scale: 1 }
  const scale = Math.min(Math.max(1, wide - 2 * PADDING) / Math.max(1, right - left), Math.max(1, high - 2 * PADDING) / Math.max(1, bottom - top))
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale }
}

export function toScreen({ x, y, scale }: Camera, { wide, high }: Size, atX: number, atY: number): { x: number; y: number } {
  return { x: (atX - x) * scale + wide / 2, y: (atY - y) * scale + high / 2 }
}

export function toGraph({ x, y, scale }: Camera, { wide, high }: Size, atX: number, atY: number): { x: number; y: number } {
  return { x: (atX - wide / 2) / scale + x, y: (atY - high / 2) / scale + y }
}

/** Nearer or farther; what lies under a place of the screen stays there. */
export function zoomed(camera: Camera, size: Size, by: number, at: { x: number; y: number }, { least, most }: Limits): Camera {
  const scale = Math.min(most, Math.max(least, camera.scale * by))
  const held = toGraph(camera, size, at.x, at.y)
  return { x: held.x - (at.x - size.wide / 2) / scale, y: held.y - (at.y - size.high / 2) / scale, scale }
}

/** A part of the way to another camera. What both show at one place of the screen stays there on the way. */
export function nearer(from: Camera, to: Camera, part: number): Camera {
  const between = (one: number, other: number) => one + (other - one) * part
  return { x: between(from.x, to.x), y: between(from.y, to.y), scale: 1 / between(1 / from.scale, 1 / to.scale) }
}

/** Whether a difference between them would be seen. */
export function alike(one: Camera, other: Camera): boolean {
  const apart = Math.hypot(one.x - other.x, one.y - other.y) * one.scale
  return apart < 0.3 && Math.abs(one.scale / other.scale - 1) < 0.002
}

/** A picture that was drawn for a camera, with a margin all around. */
export interface Drawn {
  camera: Camera
  size: Size
  margin: Size
}

/** How a picture drawn for one camera is laid so that it shows what another one sees. */
export function laid({ camera, size, margin }: Drawn, now: Camera, to: Size): { x: number; y: number; scale: number } {
  const scale = now.scale / camera.scale
  return {
    x: margin.wide + to.wide / 2 - scale * (margin.wide + size.wide / 2) + (camera.x - now.x) * now.scale,
    y: margin.high + to.high / 2 - scale * (margin.high + size.high / 2) + (camera.y - now.y) * now.scale,
    scale,
  }
}

/** Whether a picture still covers what a camera sees, and is neither too coarse nor too fine. */
export function serves(drawn: Drawn, now: Camera, to: Size): boolean {
  const { x, y, scale } = laid(drawn, now, to)
  const [left, top] = [x - drawn.margin.wide, y - drawn.margin.high]
  const right = left + scale * (drawn.size.wide + 2 * drawn.margin.wide)
  const bottom = top + scale * (drawn.size.high + 2 * drawn.margin.high)
  return left <= 0 && top <= 0 && right >= to.wide && bottom >= to.high && scale < 1.35 && scale > 0.74
}
