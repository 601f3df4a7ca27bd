import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { live, type Message } from '../api/live.svelte'
import { Problem } from '../api/problem'
import { rooted } from '../testing.svelte'
import { load, type Loaded } from './loaded.svelte'

const heard = new Map<string, Set<(message: Message) => void>>()
function tell(type: string): void {
  for (const listener of [...(heard.get(type) ?? [])]) listener({ type, cursor: '', ts: '', data: {} })
}

beforeEach(() => {
  vi.useFakeTimers()
  heard.clear()
  vi.spyOn(live, 'on').mockImplementation((types, listener) => {
    const wanted = typeof types === 'string' ? [types] : types
    for (const type of wanted) heard.set(type, (heard.get(type) ?? new Set()).add(listener))
    return () => wanted.forEach((type) => heard.get(type)?.delete(listener))
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** As in a component: gives the loaded thing and how to leave. */
function within<T>(ask: (signal: AbortSignal) => Promise<T>, on: string[] = []): [Loaded<T>, () => void] {
  let made: Loaded<T> | undefined
  const leave = rooted(() => {
    made = load(ask, { on })
  })
  flushSync()
  return [made as Loaded<T>, leave]
}

describe('load', () => {
  it('asks at once, and once more for a burst of events', async () => {
    let number = 0
    const [loaded, leave] = within(async () => ++number, ['memory_changed'])
    await vi.advanceTimersByTimeAsync(0)
    expect(loaded.data).toBe(1)
    for (let round = 0; round < 20; round++) tell('memory_changed')
    tell('other')
    await vi.advanceTimersByTimeAsync(1000)
    expect(loaded.data).toBe(2)
    leave()
  })

  it('keeps what it had when asking again fails, and says so', async () => {
    const ask = vi.fn(async () => 'first')
    const [loaded, leave] = within(ask, ['x'])
    await vi.advanceTimersByTimeAsync(0)
    ask.mockRejectedValueOnce(new Problem({ status: 503, detail: 'away' }))
    await loaded.reload()
    expect(loaded.data).toBe('first')
    expect(loaded.problem?.status).toBe(503)
    tell('resumed')
    await vi.advanceTimersByTimeAsync(1000)
    expect(loaded.problem).toBeUndefined()
    leave()
  })

  it('takes the newest question’s answer, whatever comes in between', async () => {
    const answers: ((value: string) => void)[] = []
    const signals: AbortSignal[] = []
    const [loaded, leave] = within((signal) => {
      signals.push(signal)
      return new Promise<string>((done) => answers.push(done))
    })
    void loaded.reload()
    answers[1]?.('new')
    await vi.advanceTimersByTimeAsync(0)
    answers[0]?.('old')
    await vi.advanceTimersByTimeAsync(0)
    expect(signals[0]?.aborted).toBe(true)
    expect(loaded.data).toBe('new')
    leave()
  })

  it('asks no more once the view is left', async () => {
    const ask = vi.fn(async () => 1)
    const [, leave] = within(ask, ['x'])
    await vi.advanceTimersByTimeAsync(0)
    leave()
    tell('x')
    await vi.advanceTimersByTimeAsync(1000)
    expect(ask).toHaveBeenCalledTimes(1)
  })
})
