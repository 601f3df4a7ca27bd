import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { session } from '../state/session.svelte'
import { api, forget, here, nextOf, openWith, urlOf } from './client'
import { Problem } from './problem'

const fetched = vi.fn<(url: string, options: RequestInit) => Promise<Response>>()

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  fetched.mockReset()
  forget()
  session.keep('secret')
})
afterEach(() => vi.unstubAllGlobals())

function answer(body: unknown, status = 200, headers: Record<string, string> = {}): void {
  fetched.mockResolvedValueOnce(new Response(status === 304 || status === 204 ? null : JSON.stringify(body), { status, headers }))
}

async function problem(asked: Promise<unknown>): Promise<Problem> {
  return asked.then(
    () => Promise.reject(new Error('no problem')),
    (thrown: unknown) => thrown as Problem,
  )
}

describe('the client', () => {
  it('sends the token in a header, never in the address', async () => {
    answer([])
    await api.get('/api/workspaces')
    const [url, options] = fetched.mock.calls[0] ?? []
    expect(url).toBe('/api/workspaces')
    expect((options?.headers as Record<string, string>).Authorization).toBe('Bearer secret')
  })

  it('fills an address, and leaves out what was not asked', () => {
    expect(urlOf('/a/{wid}/memory/{mid}', { wid: 'w', mid: 'x/../y' }, { type: ['a', 'b'], q: '', limit: 5 })).toBe(
      '/a/w/memory/x%2F..%2Fy?type=a&type=b&limit=5',
    )
    expect(urlOf('/lineage/{path}', { path: 'src/a b.py' }, {})).toBe('/lineage/src/a%20b.py')
    expect(() => urlOf('/a/{wid}', {}, {})).toThrow('needs wid')
  })

  it('gives the cursor of the next page and the number of all', async () => {
    answer([1], 200, { Link: '</api/x?limit=1&cursor=abc%3D>; rel="next"', 'Holdfast-Total': '42' })
    const page = await here.ask('get', 'candidates')
    expect(page).toMatchObject({ data: [1], next: 'abc=', total: 42 })
    expect(nextOf('</x?cursor=1>; rel="prev", </x?cursor=2>; rel="next"')).toBe('2')
    expect(nextOf('')).toBe('')
  })

  it('asks with the ETag it has, and takes 304 for what it kept', async () => {
    answer({ a: 1 }, 200, { ETag: '"one"' })
    answer(null, 304)
    const first = await api.get('/api/me')
    const second = await api.get('/api/me')
    expect((fetched.mock.calls[1]?.[1].headers as Record<string, string>)['If-None-Match']).toBe('"one"')
    expect(second).toEqual(first)
  })

  it('throws the server’s problem with its hint', async () => {
    answer({ title: 'Conflict', detail: 'It changed.', hint: 'Read it again.', instance: 'R1', errors: [{ where: 'a', why: 'b' }] }, 412)
    const thrown = await problem(api.get('/api/me'))
    expect(thrown).toBeInstanceOf(Problem)
    expect(thrown).toMatchObject({ status: 412, message: 'It changed.', hint: 'Read it again.', request: 'R1', conflict: true })
    expect(thrown.errors).toHaveLength(1)
  })

  it('says what to do when nobody answers', async () => {
    fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    const thrown = await problem(api.get('/api/me'))
    expect(thrown.status).toBe(0)
    expect(thrown.hint).toContain('holdfast serve --open')
  })

  it('takes a refusal that is not JSON', async () => {
    fetched.mockResolvedValueOnce(new Response('<html>bad gateway</html>', { status: 502, statusText: 'Bad Gateway' }))
    const thrown = await problem(api.get('/api/me'))
    expect(thrown).toMatchObject({ status: 502, title: 'Bad Gateway' })
  })

  it('signs out when the token is refused', async () => {
    answer({ title: 'No token' }, 401)
    await problem(api.get('/api/me'))
    expect(session.token).toBe('')
    expect(session.ended).toBe('refused')
    expect(sessionStorage.getItem('holdfast.token')).toBeNull()
  })

  it('tells a dropped question from a failed one', async () => {
    const own = new AbortController()
    fetched.mockImplementationOnce(async () => {
      own.abort()
      throw new DOMException('', 'AbortError')
    })
    expect((await problem(api.get('/api/me', { signal: own.signal }))).aborted).toBe(true)
  })

  it('turns a link’s key into this tab’s token, once', async () => {
    answer({ token: 'fresh', name: 'you', rights: ['read'] })
    await openWith('k')
    expect(session.token).toBe('fresh')
    answer({ title: 'used' }, 403)
    await openWith('k')
    expect(session.ended).toBe('link')
  })
})
