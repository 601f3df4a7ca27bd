/** A type is told by its shape as well as by its colour. The order is known to the shader. */
export const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'hexagon', 'cross', 'ring'] as const
export type ShapeName = (typeof SHAPES)[number]
