import { describe, expect, it } from 'vitest'

import { mostFor, overlap, placed, type Box, type Wanted } from './labels'
import { fitting, toScreen, zoomed } from './view'

const size = { wide: 900, high: 500 }

/** The same numbers every time. */
function* chance(seed: number): Generator<number> {
  for (let now = seed; ; ) yield (now = (now * 48271) % 0x7fffffff) / 0x7fffffff
}

function crowd(count: number): Float32Array {
  const next = chance(7)
  return Float32Array.from({ length: 2 * count }, () => 1000 * (next.next().value as number))
}

function wantedAt(positions: Float32Array, zoom: number): Wanted[] {
  const camera = zoomed(fitting(positions, () => true, size), size, zoom, { x: 300, y: 200 }, { least: 1e-6, most: 1e6 })
  return Array.from({ length: positions.length / 2 }, (_, at) => ({ at, ...toScreen(camera, size, positions[2 * at]!, positions[2 * at + 1]!), reach: 5, wide: 40 + (at % 9) * 20 }))
}

describe('names in the picture', () => {
  it.each([0.5, 1, 2, 5, 20])('lie over no other and inside the view, zoomed by %f', (zoom) => {
    for (const count of [3, 100, 5000]) {
      const labels = placed(wantedAt(crowd(count), zoom), size, mostFor(size))

      expect(labels.length).toBeLessThanOrEqual(mostFor(size))
      for (const [at, one] of labels.entries()) {
        expect(labels.slice(at + 1).filter((other) => overlap(one, other))).toEqual([])
        expect(one.left >= 0 && one.top >= 0 && one.left + one.wide <= size.wide && one.top + one.high <= size.high).toBe(true)
      }
    }
  })

  it('are many where there is room, and few where there are many nodes', () => {
    expect(placed(wantedAt(crowd(5000), 1), size, mostFor(size)).length).toBe(mostFor(size))
    expect(mostFor(size, true)).toBeLessThan(mostFor(size))
    expect(mostFor({ wide: 3840, high: 2160 })).toBeLessThanOrEqual(40)
    expect(mostFor({ wide: 300, high: 200 })).toBeGreaterThan(0)
  })

  it('go to the most important first', () => {
    const same = { x: 400, y: 250, reach: 5, wide: 100 }

    const labels = placed([{ at: 4, ...same }, { at: 9, ...same, y: 251 }, ...[1, 2, 3, 5].map((at) => ({ at, ...same }))], size, 1)

    expect(labels.map(({ at }) => at)).toEqual([4])
  })

  it('go to the left at the right side, and keep off nodes', () => {
    const [right] = placed([{ at: 0, x: 880, y: 250, reach: 5, wide: 100 }], size, 5)
    expect(right!.left + right!.wide).toBeLessThan(880)

    const node: Box = { left: 415, top: 245, wide: 10, high: 10 }
    const [beside] = placed([{ at: 0, x: 400, y: 250, reach: 5, wide: 100 }], size, 5, [node])
    expect(overlap(beside!, node)).toBe(false)
  })

  it('are written for what is pointed at, whatever lies there', () => {
    const everywhere: Box = { left: 0, top: 0, wide: 900, high: 500 }
    const wide = { at: 3, x: 450, y: 250, reach: 5, wide: 880 }

    expect(placed([wide], size, 5, [everywhere])).toEqual([])
    expect(placed([{ ...wide, must: true }], size, 5, [everywhere])).toMatchObject([{ at: 3, left: 5 }])
    expect(placed([{ ...wide, x: 2, wide: 100, must: true }], size, 5)[0]!.left).toBeGreaterThanOrEqual(0)
  })
})
