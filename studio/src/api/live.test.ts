import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { Stream, type Message } from './live.svelte'
import { Problem } from './problem'

class Socket {
  static all: Socket[] = []
  onmessage: ((event: { data: string }) => void) | undefined
  onclose: ((event: { code: number }) => void) | undefined
  constructor(readonly url: string) {
    Socket.all.push(this)
  }
  close(): void {}
  tell(type: string, cursor: string, data: Record<string, unknown> = {}): void {
    this.onmessage?.({ data: JSON.stringify({ type, cursor, ts: '', data }) })
  }
}

const socket = () => Socket.all.at(-1) as Socket
const asked = () => new URL(socket().url).searchParams

beforeEach(() => {
  vi.useFakeTimers()
  Socket.all = []
  vi.stubGlobal('WebSocket', Socket)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function opened(ticket = vi.fn(async () => 'T1')): Promise<Stream> {
  const stream = new Stream(ticket)
  stream.open('/api/workspace/w/events')
  await vi.advanceTimersByTimeAsync(0)
  return stream
}

describe('Stream', () => {
  it('begins with a ticket and a snapshot', async () => {
    const stream = await opened()
    expect(socket().url).toMatch(/^ws:.*\/api\/workspace\/w\/events\?ticket=T1$/)
    expect(stream.state).toBe('connecting')
    socket().tell('snapshot', 'e.1', { waiting: ['CAND-1'] })
    expect(stream.state).toBe('open')
    expect(stream.snapshot).toEqual({ waiting: ['CAND-1'] })
  })

  it('goes on from its cursor after a break, with a new ticket', async () => {
    let number = 0
    const stream = await opened(vi.fn(async () => `T${++number}`))
    const told: Message[] = []
    stream.on('memory_changed', (message) => told.push(message))
    socket().tell('snapshot', 'e.1')
    socket().tell('memory_changed', 'e.2', { ids: ['A'] })
    socket().onclose?.({ code: 1006 })
    expect(stream.state).toBe('waiting')
    await vi.advanceTimersByTimeAsync(600)
    expect(Socket.all).toHaveLength(2)
    expect(asked().get('cursor')).toBe('e.2')
    expect(asked().get('ticket')).toBe('T2')
    socket().tell('resumed', 'e.2')
    socket().tell('memory_changed', 'e.3', { ids: ['B'] })
    expect(stream.state).toBe('open')
    expect(told.map((message) => message.cursor)).toEqual(['e.2', 'e.3'])
  })

  it('waits longer each time the server is away, and less again once it was there', async () => {
    const stream = await opened(vi.fn(async () => Promise.reject(Problem.unreachable())))
    const waits: number[] = []
    for (let round = 0; round < 8; round++) {
      waits.push(stream.again - Date.now())
      await vi.advanceTimersByTimeAsync(stream.again - Date.now())
    }
    expect(waits[0]).toBeLessThanOrEqual(500)
    expect(waits.at(-1)).toBeGreaterThan(7000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000)
  })

  it('does not try again when it is not allowed to listen', async () => {
    const stream = await opened()
    socket().onclose?.({ code: 4403 })
    expect(stream.state).toBe('refused')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(Socket.all).toHaveLength(1)
  })

  it('comes back after it was too slow or the server restarted', async () => {
    const stream = await opened()
    socket().tell('snapshot', 'e.7')
    for (const code of [4408, 1012, 4401]) {
      socket().onclose?.({ code })
      await vi.advanceTimersByTimeAsync(15_000)
      expect(asked().get('cursor')).toBe('e.7')
    }
    expect(stream.state).toBe('connecting')
  })

  it('hears nothing of a socket that it left', async () => {
    const stream = await opened()
    const old = socket()
    old.tell('snapshot', 'e.1', { of: 'first' })
    stream.open('/api/workspace/other/events')
    await vi.advanceTimersByTimeAsync(0)
    old.tell('memory_changed', 'e.9')
    old.onclose?.({ code: 1006 })
    expect(stream.snapshot).toBeUndefined()
    expect(stream.cursor).toBe('')
    expect(stream.state).toBe('connecting')
    expect(asked().has('cursor')).toBe(false)
  })

  it('stops telling who stopped listening', async () => {
    const stream = await opened()
    const heard = vi.fn()
    const off = stream.on(['a', 'b'], heard)
    socket().tell('a', 'e.1')
    off()
    socket().tell('b', 'e.2')
    expect(heard).toHaveBeenCalledTimes(1)
  })
})
