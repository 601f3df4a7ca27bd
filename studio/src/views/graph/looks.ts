import type { ShapeName } from './shapes'

/** How types and edges are drawn: the colours are the page's own, so that they follow its theme. */
export interface Look {
  colour: string
  shape: ShapeName
}

const TYPES: Record<string, Look> = {
  decision: { colour: '--type-decision', shape: 'square' },
  failure: { colour: '--type-failure', shape: 'triangle' },
  learning: { colour: '--type-learning', shape: 'circle' },
  invariant: { colour: '--type-invariant', shape: 'diamond' },
  assumption: { colour: '--type-assumption', shape: 'ring' },
  pattern: { colour: '--type-pattern', shape: 'hexagon' },
}
const OTHER: Look = { colour: '--line-strong', shape: 'cross' }

export function lookOf(sort: string): Look {
  return TYPES[sort] ?? OTHER
}

export interface EdgeLook {
  colour: string
  size: number
  arrow: boolean
  /** 0 to 1: what is said often is said quietly. */
  strength: number
}

const KINDS: Record<string, EdgeLook> = {
  contradicts: { colour: '--bad', size: 2.4, arrow: false, strength: 0.95 },
  supersedes: { colour: '--accent', size: 1.8, arrow: true, strength: 0.9 },
  'same file': { colour: '--type-decision', size: 1, arrow: false, strength: 0.5 },
  mentions: { colour: '--type-pattern', size: 1, arrow: false, strength: 0.65 },
  'same name': { colour: '--type-pattern', size: 1, arrow: false, strength: 0.65 },
  'same session': { colour: '--line-strong', size: 1, arrow: false, strength: 0.4 },
}

export function edgeLookOf(kind: string): EdgeLook {
  return KINDS[kind] ?? { colour: '--line-strong', size: 1, arrow: false, strength: 0.5 }
}

export type Colours = (variable: string, strength?: number) => string

/** The page's colours as they are now; less than full strength is nearer to the ground. */
export function colours(of: Element = document.documentElement): Colours {
  const style = getComputedStyle(of)
  const read = (variable: string) => style.getPropertyValue(variable).trim() || '#888888'
  const ground = read('--surface')
  const made = new Map<string, string>()
  return (variable, strength = 1) => {
    const key = `${variable} ${strength}`
    const known = made.get(key)
    if (known) return known
    const colour = strength < 1 ? mixed(read(variable), ground, strength) : read(variable)
    made.set(key, colour)
    return colour
  }
}

/** One colour over another. Mixed here: thousands of edges would add up if they were transparent. */
export function mixed(colour: string, ground: string, strength: number): string {
  const [above, below] = [parts(colour), parts(ground)]
  if (!above || !below) return colour
  const channels = above.map((channel, at) => Math.round(channel * strength + (below[at] ?? 0) * (1 - strength)))
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function parts(hex: string): number[] | undefined {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex)
  return found?.slice(1).map((channel) => parseInt(channel, 16))
}
