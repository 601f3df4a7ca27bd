import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { rooted } from '../testing.svelte'
import { router } from './router.svelte'
import { followView, toasts } from './toasts.svelte'

let stop: () => void
const said = () => toasts.shown.map((toast) => toast.text)
function go(href: string): void {
  router.go(href)
  flushSync()
}

beforeEach(() => {
  vi.useFakeTimers()
  toasts.shown = []
  router.go('/w/x/review')
  stop = rooted(followView)
  flushSync()
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

describe('a toast', () => {
  it('goes with the view that it was said in', () => {
    toasts.failed(new Error('It could not be undone.'))
    vi.advanceTimersByTime(2000)

    go('/w/x/review/C1')
    expect(said()).toHaveLength(1)
    go('/w/x/health')
    expect(said()).toEqual([])
  })

  it('stays where the step that says it leads elsewhere', () => {
    toasts.say('Proposed as CAND-1.')

    go('/w/x/memory')
    expect(said()).toEqual(['Proposed as CAND-1.'])
  })

  it('offers what it does once, and nothing when its change is undone elsewhere', () => {
    const ran: string[] = []
    const offering = (batch: string) => toasts.say(batch, { action: { label: 'Undo', batch, run: () => ran.push(batch) }, lasts: 0 })
    offering('one')
    offering('two')
    const [first, second] = toasts.shown

    toasts.act(first!)
    toasts.act(first!)
    toasts.used('two')
    toasts.act(second!)

    expect(ran).toEqual(['one'])
    expect(toasts.shown.map(({ text, action }) => [text, action])).toEqual([['two', undefined]])
  })

  it('stays while it is pointed at', () => {
    toasts.say('Accepted.')
    toasts.hold(true)
    vi.advanceTimersByTime(10_000)
    expect(said()).toEqual(['Accepted.'])

    toasts.hold(false)
    expect(said()).toEqual([])
  })

  it('goes when it is dismissed', () => {
    toasts.say('Saved.', { lasts: 0 })
    toasts.close(toasts.shown[0]?.id ?? 0)

    expect(said()).toEqual([])
  })
})
