import { describe, expect, it } from 'vitest'

import { alike, fitting, laid, nearer, serves, toGraph, toScreen, zoomed, type Camera } from './view'

const size = { wide: 900, high: 500 }
const limits = { least: 0.01, most: 100 }
const camera: Camera = { x: 12, y: -40, scale: 1.7 }

function near(one: { x: number; y: number }, other: { x: number; y: number }): void {
  expect(one.x).toBeCloseTo(other.x, 4)
  expect(one.y).toBeCloseTo(other.y, 4)
}

describe('the camera', () => {
  it('shows everything, and leaves out what is left out', () => {
    const places = Float32Array.from([0, 0, 300, 40, 9000, 9000])

    const fit = fitting(places, (at) => at < 2, size)

    for (const at of [0, 1]) {
      const { x, y } = toScreen(fit, size, places[2 * at]!, places[2 * at + 1]!)
      expect(x >= 0 && x <= size.wide && y >= 0 && y <= size.high).toBe(true)
    }
    expect(toScreen(fit, size, 9000, 9000).x).toBeGreaterThan(size.wide)
    expect(fitting(places, () => false, size).scale).toBe(1)
  })

  it('keeps what is under the pointer there while it zooms, and on the way', () => {
    const at = { x: 700, y: 90 }
    const held = toGraph(camera, size, at.x, at.y)

    const to = zoomed(camera, size, 3, at, limits)

    near(toScreen(to, size, held.x, held.y), at)
    for (const part of [0.2, 0.5, 0.9]) near(toScreen(nearer(camera, to, part), size, held.x, held.y), at)
    expect(zoomed(camera, size, 1e9, at, limits).scale).toBe(limits.most)
    expect(zoomed(camera, size, 1e-9, at, limits).scale).toBe(limits.least)
  })

  it('arrives', () => {
    let now = camera
    const to = zoomed(camera, size, 8, { x: 10, y: 10 }, limits)

    let frames = 0
    while (!alike(now, to) && frames++ < 100) now = nearer(now, to, 0.28)

    expect(frames).toBeLessThan(60)
  })
})

describe('a picture drawn for another camera', () => {
  const drawn = { camera, size, margin: { wide: 180, high: 100 } }

  it('is laid so that each node stands where it belongs', () => {
    const now = { x: 30, y: -55, scale: 2.1 }
    const { x, y, scale } = laid(drawn, now, size)

    const before = toScreen(camera, size, 77, -13)
    const shown = { x: x - drawn.margin.wide + scale * (before.x + drawn.margin.wide), y: y - drawn.margin.high + scale * (before.y + drawn.margin.high) }

    near(shown, toScreen(now, size, 77, -13))
  })

  it('serves while it covers the view and is about as fine', () => {
    expect(serves(drawn, camera, size)).toBe(true)
    expect(serves(drawn, { ...camera, x: camera.x + 100 / camera.scale }, size)).toBe(true)
    expect(serves(drawn, { ...camera, x: camera.x + 200 / camera.scale }, size)).toBe(false)
    expect(serves(drawn, { ...camera, scale: camera.scale * 2 }, size)).toBe(false)
    expect(serves(drawn, { ...camera, scale: camera.scale / 2 }, size)).toBe(false)
  })
})
