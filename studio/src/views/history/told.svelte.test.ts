import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { forget } from '../../api/client'
import { toasts } from '../../state/toasts.svelte'
import { ToldReader } from './told.svelte'

const memory = (id: string) => ({
  id, now: id, title: `About ${id}`, type: 'decision', status: 'accepted', why: '', tokens: 4, cameOfIt: '', marked: '', wrong: false, always: false, irrelevant: 0,
})
const TOLD = {
  session: 's/1', client: 'codex', tokens: 9,
  tellings: [{ ts: '', at: 'prompt', tokens: 9, cause: '', text: '', prompt: '', agent: '', withheld: false, memories: [memory('A'), memory('B')] }],
}

let stop: () => void
let asked: string[]
let status: number

async function opened(): Promise<ToldReader> {
  let reader!: ToldReader
  stop = $effect.root(() => {
    reader = new ToldReader('s/1')
  })
  await reader.read()
  flushSync()
  return reader
}

beforeEach(() => {
  forget()
  toasts.shown = []
  asked = []
  status = 201
  vi.stubGlobal('fetch', async (url: string, { method, body }: { method: string; body?: string }) => {
    const path = url.replace(/^\/api\/workspace\/[^/]*\//u, '')
    asked.push(`${method} ${path}${body ? ` ${body}` : ''}`)
    if (method === 'GET') return new Response(JSON.stringify(TOLD))
    if (status >= 400) return new Response(JSON.stringify({ title: 'No', status, detail: 'No.', hint: '' }), { status })
    const id = path.split('/')[1]
    const mark = { mark: `m${asked.length}`, id, wrong: false, always: false, irrelevant: method === 'POST' ? 1 : 0, marked: method === 'POST' ? 'not relevant 1×' : '' }
    return new Response(JSON.stringify(mark), { status: method === 'POST' ? 201 : 200 })
  })
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

const marks = (reader: ToldReader) => reader.places.map((place) => place.memory.marked)

describe('a word on what was told', () => {
  it('goes to the server with the session, is shown, and Undo takes back that one', async () => {
    const reader = await opened()
    expect(reader.here).toBe('0 A')
    reader.move(1)
    await reader.mark(reader.place!.memory, 'irrelevant')

    expect(asked[0]).toBe('GET injections/s%2F1')
    expect(asked[1]).toBe('POST memory/B/injection-marks {"verdict":"irrelevant","session":"s/1"}')
    expect(marks(reader)).toEqual(['', 'not relevant 1×'])
    await reader.mark(reader.places[0]!.memory, 'irrelevant')
    toasts.shown[0]!.action!.run()
    await vi.waitFor(() => expect(asked.at(-1)).toBe('DELETE memory/B/injection-marks/m2'))
    await vi.waitFor(() => expect(marks(reader)).toEqual(['not relevant 1×', '']))
  })

  it('that the server refuses changes nothing, and why is said', async () => {
    const reader = await opened()
    status = 403
    await reader.mark(reader.place!.memory, 'wrong')

    expect(marks(reader)).toEqual(['', ''])
    expect(toasts.shown.at(-1)).toMatchObject({ tone: 'bad', action: undefined })
  })

  it('that would change nothing is not sent', async () => {
    const reader = await opened()
    await reader.mark(reader.place!.memory, 'none')

    expect(asked).toHaveLength(1)
    expect(toasts.shown.at(-1)?.text).toBe('Nothing was said of A.')
  })
})
