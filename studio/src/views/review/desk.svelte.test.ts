import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { forget } from '../../api/client'
import { toasts } from '../../state/toasts.svelte'
import { Desk } from './desk.svelte'

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> }

const NOTHING = { accepted: [], rejected: [], merged: [], settled: [], blocked: [], memory: null, restart: [] }
const candidate = (id: string) => ({
  id, type: 'learning', title: id, body: '', tags: [], paths: [], confidence: 0.5, status: 'candidate',
  conflicts: [],
  blocked: false,
  looked: true,
  session: '',
  client: '',
  turnedDownBefore: null,
  group: id,
  settles: [],
  settled: null,
  ...ASKED_WITH[id],
})
// A2 says what A says.
const ASKED_WITH: Record<string, object> = {
  A2: { group: 'A', settled: 'repeats' },
}

/** A server with a queue, whose answers to decisions a test gives. */
function server(waiting: string[]) {
  const asked: string[] = []
  const held = { waiting, answers: new Map<string, () => Answer | Promise<Answer>>() }
  vi.stubGlobal('fetch', async (url: string, { method }: { method: string }) => {
    const path = url.replace(/^\/api\/workspace\/[^/]*\//u, '').replace(/\?.*/u, '')
    asked.push(`${method} ${path}`)
    const { status = 200, body = NOTHING, headers = {} } = (await held.answers.get(`${method} ${path}`)?.()) ?? listed(path)
    return new Response(JSON.stringify(body), { status, headers })
  })
  const listed = (path: string): Answer => {
    if (path === 'candidates') return { body: held.waiting.map(candidate), headers: { 'Holdfast-Total': String(held.waiting.length) } }
    return { body: [] }
  }
  return { asked, held }
}

async function opened(waiting: string[]) {
  const made = server(waiting)
  let desk!: Desk
  stop = $effect.root(() => {
    desk = new Desk()
  })
  await desk.read()
  flushSync()
  return { desk, ...made, keys: () => desk.shown.map((item) => item.key) }
}

let stop: () => void
beforeEach(() => {
  forget()
  toasts.shown = []
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

describe('a decision', () => {
  it('is seen before the server answers, and stands when it does', async () => {
    const { desk, held, keys } = await opened(['A', 'B'])
    let answer!: (answer: Answer) => void
    held.answers.set('POST candidates/A/accept', () => new Promise((resolve) => (answer = resolve)))

    const done = desk.accept(['A'])
    expect(keys()).toEqual(['B'])
    expect(desk.queue.here).toBe('B')
    await vi.waitFor(() => expect(answer).toBeDefined())
    answer({ body: { ...NOTHING, accepted: [{ candidate: 'A', memory: { id: 'LRN-1' } }] } })

    expect(await done).toBe(true)
    expect(desk.queue.items.map((item) => item.key)).toEqual(['B'])
    expect(toasts.shown.at(-1)?.text).toBe('Accepted as LRN-1.')
  })

  it('takes with it what the server says it settled', async () => {
    const { desk, held, keys } = await opened(['A', 'A2', 'B'])
    const settled = [{ id: 'A2', title: 'A2', how: 'repeats', reason: '' }]
    held.answers.set('POST candidates/A/accept', () => ({ body: { ...NOTHING, accepted: [{ candidate: 'A', memory: { id: 'LRN-1' } }], settled } }))
    expect(keys()).toEqual(['A', 'B'])

    const done = desk.accept(['A'])
    expect(keys()).toEqual(['B'])
    await done

    expect(desk.queue.items.map((item) => item.key)).toEqual(['B'])
    expect(toasts.shown.at(-1)?.hint).toBe('With it went one that says the same.')
  })

  it('that is refused puts the candidate back, is read again and says why', async () => {
    const { desk, held, keys } = await opened(['A', 'B'])
    held.answers.set('POST candidates/A/accept', () => ({ status: 409, body: { detail: 'It contradicts DEC-1.' } }))

    expect(await desk.accept(['A'])).toBe(false)

    expect(keys()).toEqual(['A', 'B'])
    expect(desk.queue.here).toBe('A')
    expect(desk.notes.get('A')?.text).toBe('It contradicts DEC-1.')
  })

  it('on what somebody else decided is told, and the candidate stays away', async () => {
    const { desk, held, keys } = await opened(['A', 'B'])
    held.answers.set('POST candidates/A/reject', () => {
      held.waiting = ['B']
      return { status: 404, body: { detail: 'There is no A.' } }
    })

    await desk.reject(['A'], '')

    await vi.waitFor(() => expect(keys()).toEqual(['B']))
    expect(toasts.shown.at(-1)?.hint).toContain('Somebody else')
  })

  it('on many leaves those that are blocked, with the reason', async () => {
    const { desk, held, keys } = await opened(['A', 'B', 'C'])
    held.answers.set('POST candidates', () => ({
      body: { ...NOTHING, accepted: [{ candidate: 'A', memory: { id: 'X' } }, { candidate: 'C', memory: { id: 'Y' } }], blocked: [{ id: 'B', conflicts: [{ id: 'DEC-1' }] }] },
    }))

    await desk.accept(['A', 'B', 'C'])

    expect(keys()).toEqual(['B'])
    expect(desk.notes.get('B')?.text).toContain('DEC-1')
    expect(toasts.shown.at(-1)).toMatchObject({ text: 'Accepted 2.', hint: 'one left: in conflict with what holds.' })
  })

  it('reaches the server before an undo that was asked for later', async () => {
    const { desk, asked, held } = await opened(['A'])
    held.answers.set('POST candidates/A/accept', async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return { body: NOTHING }
    })
    held.answers.set('POST undo', () => ({ body: { verb: 'accept', at: '', ids: ['A'] } }))

    await Promise.all([desk.accept(['A']), desk.undo()])

    const posts = asked.filter((one) => one.startsWith('POST'))
    expect(posts).toEqual(['POST candidates/A/accept', 'POST undo'])
    expect(desk.queue.here).toBe('A')
  })
})
