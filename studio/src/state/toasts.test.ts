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

  it('goes when it is dismissed', () => {
    toasts.say('Saved.', { lasts: 0 })
    toasts.close(toasts.shown[0]?.id ?? 0)

    expect(said()).toEqual([])
  })
})
