import { afterEach, describe, expect, it } from 'vitest'

import { listen, type Hands } from './gestures'

let stop = () => {}
afterEach(() => stop())

/** An element with what was done over it, in words. */
function listened() {
  const element = document.createElement('div')
  element.setPointerCapture = () => {}
  const done: string[] = []
  const hands: Hands = {
    pan: (right, down) => done.push(`pan ${right} ${down}`),
    zoom: (by, at, jump) => done.push(`zoom ${by.toFixed(2)} at ${at.x} ${at.y}${jump ? ', led' : ''}`),
    point: (at) => done.push(at ? `point ${at.x} ${at.y}` : 'point nowhere'),
    press: (at) => done.push(`press ${at.x} ${at.y}`),
  }
  stop = listen(element, hands)
  const pointer = (name: string, id: number, x: number, y: number, pointerType = 'mouse') => {
    const event = new MouseEvent(`pointer${name}`, { clientX: x, clientY: y, button: 0 })
    element.dispatchEvent(Object.assign(event, { pointerId: id, pointerType }))
  }
  return { element, done, pointer }
}

describe('hands over the picture', () => {
  it('point, press and drag: what hardly moved is a press', () => {
    const { done, pointer } = listened()

    pointer('move', 1, 5, 6)
    pointer('down', 1, 10, 10)
    pointer('move', 1, 11, 10)
    pointer('up', 1, 11, 10)
    pointer('down', 1, 10, 10)
    pointer('move', 1, 30, 20)
    pointer('move', 1, 31, 22)
    pointer('up', 1, 31, 22)

    expect(done).toEqual(['point 5 6', 'press 11 10', 'pan 20 10', 'pan 1 2'])
  })

  it('two fingers zoom around their middle, and their end is no press', () => {
    const { done, pointer } = listened()

    pointer('down', 1, 100, 100, 'touch')
    pointer('down', 2, 200, 100, 'touch')
    pointer('move', 2, 300, 100, 'touch')
    pointer('up', 1, 100, 100, 'touch')
    pointer('up', 2, 300, 100, 'touch')

    expect(done).toEqual(['pan 50 0', 'zoom 2.00 at 200 100, led'])
  })

  it('the wheel zooms, however far it was turned, and the page does not scroll', () => {
    const { element, done } = listened()
    const turned = new WheelEvent('wheel', { deltaY: -100, clientX: 7, clientY: 8, cancelable: true })

    element.dispatchEvent(turned)
    element.dispatchEvent(new WheelEvent('wheel', { deltaY: 1e9 }))

    expect(turned.defaultPrevented).toBe(true)
    expect(done[0]).toBe('zoom 1.25 at 7 8')
    expect(Number(done[1]?.split(' ')[1])).toBeGreaterThan(0.2)
  })

  it('stop when the picture ends', () => {
    const { done, pointer } = listened()

    stop()
    pointer('move', 1, 5, 6)

    expect(done).toEqual([])
  })
})
