/** What a mouse, a finger or two, and the wheel do over the picture. */
export interface Place {
  x: number
  y: number
}

export interface Hands {
  /** Dragged by so much. */
  pan: (right: number, down: number) => void
  /** Nearer (above 1) or farther, around a place. `jump`: fingers lead, nothing is to be smoothed. */
  zoom: (by: number, at: Place, jump: boolean) => void
  /** Pointed at a place, or at nothing. */
  point: (at: Place | undefined) => void
  press: (at: Place) => void
}

/** Less than this is a press and no drag. */
const STILL = 4
const LINE = 16
const NOTCH = 0.0022
const TWICE = 1.8

/** Listen at an element; gives back how to stop. */
export function listen(element: HTMLElement, hands: Hands): () => void {
  const down = new Map<number, Place>()
  const ending = new AbortController()
  const on = <K extends keyof HTMLElementEventMap>(name: K, does: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(name, does, { signal: ending.signal, passive: false })
  let dragged = 0

  const at = (event: MouseEvent): Place => {
    const { left, top } = element.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }

  const pinch = (event: PointerEvent, before: Place, now: Place) => {
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1]
    if (!other) return
    const apart = (one: Place) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y))
    hands.pan((now.x - before.x) / 2, (now.y - before.y) / 2)
    hands.zoom(apart(now) / apart(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }, true)
  }

  on('pointerdown', (event) => {
    if (event.button) return
    if (!down.size) dragged = 0
    down.set(event.pointerId, at(event))
    element.setPointerCapture(event.pointerId)
  })
  on('pointermove', (event) => {
    const now = at(event)
    const before = down.get(event.pointerId)
    if (!before) return hands.point(event.pointerType === 'mouse' ? now : undefined)
    dragged += Math.hypot(now.x - before.x, now.y - before.y)
    if (dragged < STILL) return
    if (down.size > 1) pinch(event, before, now)
    else hands.pan(now.x - before.x, now.y - before.y)
    down.set(event.pointerId, now)
  })
  const up = (event: PointerEvent, pressed: boolean) => {
    if (!down.delete(event.pointerId) || down.size) return
    if (pressed && dragged < STILL) hands.press(at(event))
  }
  on('pointerup', (event) => up(event, true))
  on('pointercancel', (event) => up(event, false))
  on('pointerleave', () => hands.point(undefined))
  on('dblclick', (event) => hands.zoom(TWICE, at(event), false))
  on('wheel', (event) => {
    event.preventDefault()
    const turned = event.deltaY * (event.deltaMode ? LINE : 1)
    hands.zoom(Math.exp(-Math.max(-400, Math.min(400, turned)) * NOTCH), at(event), false)
  })
  return () => ending.abort()
}
