import { afterEach, describe, expect, it, vi } from 'vitest'

import { keys, type Key } from './keys.svelte'

const stops: (() => void)[] = []
function scope(title: string, ...list: Key[]): void {
  stops.push(keys.add({ title, list }))
}
function press(key: string, target: Element = document.body, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  target.addEventListener('keydown', (heard) => keys.pressed(heard as KeyboardEvent), { once: true })
  target.dispatchEvent(event)
  return event
}
afterEach(() => stops.splice(0).forEach((stop) => stop()))

describe('keys', () => {
  it('runs the newest scope that knows the key', () => {
    const [shell, view] = [vi.fn(), vi.fn()]
    scope('Everywhere', { keys: 'a', does: '', run: shell })
    scope('Review', { keys: 'a', does: '', run: view })
    expect(press('a').defaultPrevented).toBe(true)
    expect(view).toHaveBeenCalled()
    expect(shell).not.toHaveBeenCalled()
  })

  it('takes two keys in a row', () => {
    const go = vi.fn()
    scope('Everywhere', { keys: 'g r', does: '', run: go })
    press('r')
    press('g')
    press('r')
    expect(go).toHaveBeenCalledTimes(1)
  })

  it('leaves a field alone, but for keys that hold while typing', () => {
    const [letter, palette] = [vi.fn(), vi.fn()]
    scope('x', { keys: 'a', does: '', run: letter }, { keys: 'mod+k', does: '', run: palette, typing: true })
    const field = document.body.appendChild(document.createElement('input'))
    press('a', field)
    press('k', field, { ctrlKey: true })
    expect(letter).not.toHaveBeenCalled()
    expect(palette).toHaveBeenCalledTimes(1)
  })

  it('does not take the browser’s own shortcuts', () => {
    const run = vi.fn()
    scope('x', { keys: 'r', does: '', run })
    expect(press('r', document.body, { ctrlKey: true }).defaultPrevented).toBe(false)
    press('r', document.body, { altKey: true })
    expect(run).not.toHaveBeenCalled()
  })

  it('keeps the view’s keys from acting behind a dialog', () => {
    const [view, own] = [vi.fn(), vi.fn()]
    scope('Review', { keys: 'a', does: '', run: view })
    scope('Dialog Merge', { keys: 'm', does: '', run: own })
    const dialog = document.body.appendChild(document.createElement('dialog'))
    dialog.setAttribute('open', '')
    const button = dialog.appendChild(document.createElement('button'))
    press('a', button)
    press('m', button)
    expect(view).not.toHaveBeenCalled()
    expect(own).toHaveBeenCalledTimes(1)
  })
})
