/** A type is told by its shape as well as by its colour. */
export type ShapeName = 'circle' | 'square' | 'triangle' | 'diamond' | 'hexagon' | 'cross' | 'ring'

/** Corners for a reach of 1, x and y in turns. All shapes look about as large as the circle. */
const CORNERS: Partial<Record<ShapeName, readonly number[]>> = {
  square: [-0.86, -0.86, 0.86, -0.86, 0.86, 0.86, -0.86, 0.86],
  triangle: [0, -1.1, 1.06, 0.8, -1.06, 0.8],
  diamond: [0, -1.15, 1.15, 0, 0, 1.15, -1.15, 0],
  hexagon: [0, -1, 0.87, -0.5, 0.87, 0.5, 0, 1, -0.87, 0.5, -0.87, -0.5],
  cross: [-0.35, -1, 0.35, -1, 0.35, -0.35, 1, -0.35, 1, 0.35, 0.35, 0.35, 0.35, 1, -0.35, 1, -0.35, 0.35, -1, 0.35, -1, -0.35, -0.35, -0.35],
}

type Pen = Pick<CanvasPath, 'moveTo' | 'lineTo' | 'closePath' | 'arc'>

/** How much of a ring is its hole, which shows the ground. */
export const HOLE = 0.5

/** Add a shape to the path that is being drawn. It is filled. */
export function trace(pen: Pen, shape: ShapeName, x: number, y: number, reach: number): void {
  const corners = CORNERS[shape]
  if (!corners) {
    pen.moveTo(x + reach, y)
    pen.arc(x, y, reach, 0, 2 * Math.PI)
    return
  }
  for (let at = 0; at < corners.length; at += 2) {
    const [right, down] = [x + reach * (corners[at] ?? 0), y + reach * (corners[at + 1] ?? 0)]
    if (at) pen.lineTo(right, down)
    else pen.moveTo(right, down)
  }
  pen.closePath()
}
