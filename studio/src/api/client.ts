import { router } from '../state/router.svelte'
import { session } from '../state/session.svelte'
import { Problem } from './problem'
import type { components, paths } from './schema'

/** A shape of the API by its name: Shape<'CandidateView'>. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name]

type Method = 'get' | 'post' | 'put' | 'delete'
type With<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never }[keyof paths]
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never
type Json<T> = T extends { content: { 'application/json': infer J } } ? J : never
type Good<R> = R extends Record<number, unknown> ? Json<R[keyof R & (200 | 201 | 202)]> : never
/** What an address answers: Answer<'/api/workspaces', 'get'>. */
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? Good<R> : never
type Query<P extends keyof paths, M extends Method> = Operation<P, M> extends { parameters: { query?: infer Q } } ? Q : never
type Body<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: infer B } ? Json<NonNullable<B>> : never

type Values = Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>

interface Options<P extends keyof paths, M extends Method> {
  path?: Record<string, string | number>
  query?: Query<P, M>
  body?: Body<P, M>
  signal?: AbortSignal
  headers?: Record<string, string>
}

/** An answer with what its headers say. */
export interface Answered<T> {
  data: T
  status: number
  etag: string
  /** The cursor of the next page, or ''. */
  next: string
  /** How many rows there are in all, where the server counts them. */
  total: number | undefined
  /** What a change made, by its id: `undo` takes back that and nothing else. '' where nothing was written. */
  batch: string
}

type Here<P> = P extends `/api/workspace/{wid}/${infer Rest}` ? Rest : never
type Whole<R extends string> = `/api/workspace/{wid}/${R}` & keyof paths

const MOST_KEPT = 200
const seen = new Map<string, Answered<unknown>>()

/** The one place that calls the server. */
async function ask<P extends keyof paths, M extends Method>(
  method: M,
  path: P,
  options: Options<P, M> = {},
): Promise<Answered<Answer<P, M>>> {
  const url = urlOf(String(path), options.path ?? {}, (options.query ?? {}) as Values)
  const kept = method === 'get' ? seen.get(url) : undefined
  const response = await reach(url, method, options.body, options.signal, {
    ...(kept?.etag ? { 'If-None-Match': kept.etag } : {}),
    ...options.headers,
  })
  if (response.status === 304 && kept) return kept as Answered<Answer<P, M>>
  if (!response.ok) throw await refused(response)
  const answered = await read<Answer<P, M>>(response)
  if (method === 'get' && answered.etag) keep(url, answered)
  return answered
}

async function reach(
  url: string,
  method: Method,
  body: unknown,
  signal: AbortSignal | undefined,
  headers: Record<string, string>,
): Promise<Response> {
  const sent: Record<string, string> = { Accept: 'application/json', ...headers }
  if (session.token) sent.Authorization = `Bearer ${session.token}`
  if (body !== undefined) sent['Content-Type'] = 'application/json'
  try {
    return await fetch(url, {
      method: method.toUpperCase(),
      headers: sent,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: 'no-store',
      credentials: 'omit',
    })
  } catch (thrown) {
    if (signal?.aborted) throw Problem.of(new DOMException('', 'AbortError'))
    throw thrown instanceof TypeError ? Problem.unreachable() : thrown
  }
}

async function refused(response: Response): Promise<Problem> {
  if (response.status === 401) session.end('refused')
  return Problem.from(response)
}

async function read<T>(response: Response): Promise<Answered<T>> {
  const text = await response.text()
  return {
    data: (text ? JSON.parse(text) : undefined) as T,
    status: response.status,
    etag: response.headers.get('ETag') ?? '',
    next: nextOf(response.headers.get('Link') ?? ''),
    total: countOf(response.headers.get('Holdfast-Total')),
    batch: response.headers.get('Holdfast-Batch') ?? '',
  }
}

function keep(url: string, answered: Answered<unknown>): void {
  seen.delete(url)
  seen.set(url, answered)
  if (seen.size > MOST_KEPT) seen.delete(seen.keys().next().value as string)
}

/** The cursor in `<…?cursor=X>; rel="next"`. */
export function nextOf(link: string): string {
  for (const part of link.split(/,(?=\s*<)/)) {
    const found = /<([^>]*)>\s*;.*\brel="?next"?/.exec(part)
    if (found?.[1]) return new URL(found[1], 'http://here').searchParams.get('cursor') ?? ''
  }
  return ''
}

function countOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined
}

export function urlOf(template: string, path: Record<string, string | number>, query: Values): string {
  const url = template.replace(/\{(\w+)(:path)?\}/g, (_, name: string) => {
    if (path[name] === undefined) throw new Error(`${template} needs ${name}`)
    const value = String(path[name])
    // A file's path keeps its slashes; everything else is one step of the address.
    return name === 'path' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
  })
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    for (const one of Array.isArray(value) ? value : [value]) asked.append(name, String(one))
  }
  return asked.size ? `${url}?${asked}` : url
}

/** Any address of the API. */
export const api = {
  ask,
  get: async <P extends With<'get'>>(path: P, options?: Options<P, 'get'>) => (await ask('get', path, options)).data,
  post: async <P extends With<'post'>>(path: P, options?: Options<P, 'post'>) => (await ask('post', path, options)).data,
  put: async <P extends With<'put'>>(path: P, options?: Options<P, 'put'>) => (await ask('put', path, options)).data,
  delete: async <P extends With<'delete'>>(path: P, options?: Options<P, 'delete'>) =>
    (await ask('delete', path, options)).data,
}

function inside<M extends Method, R extends Here<With<M>>>(
  method: M,
  rest: R,
  options: Options<Whole<R>, M> = {},
): Promise<Answered<Answer<Whole<R>, M>>> {
  const path = `/api/workspace/{wid}/${rest}` as Whole<R>
  return ask(method, path, { ...options, path: { wid: router.wid, ...options.path } })
}

/** The same within the workspace that is open: here.get('memory/decisions', {query: {limit: 50}}). */
export const here = {
  ask: inside,
  get: async <R extends Here<With<'get'>>>(rest: R, options?: Options<Whole<R>, 'get'>) =>
    (await inside('get', rest, options)).data,
  post: async <R extends Here<With<'post'>>>(rest: R, options?: Options<Whole<R>, 'post'>) =>
    (await inside('post', rest, options)).data,
  put: async <R extends Here<With<'put'>>>(rest: R, options?: Options<Whole<R>, 'put'>) =>
    (await inside('put', rest, options)).data,
  delete: async <R extends Here<With<'delete'>>>(rest: R, options?: Options<Whole<R>, 'delete'>) =>
    (await inside('delete', rest, options)).data,
}

/** A one-time link's key becomes this tab's token. */
export async function openWith(key: string): Promise<void> {
  const response = await reach('/api/session', 'post', { key }, undefined, {})
  if (response.status === 401 || response.status === 403 || response.status === 404) return session.end('link')
  if (!response.ok) throw await Problem.from(response)
  session.keep(((await response.json()) as { token: string }).token)
}

/** A ticket for one socket. */
export async function ticket(): Promise<string> {
  const response = await reach('/api/tickets', 'post', undefined, undefined, {})
  if (!response.ok) throw await refused(response)
  return ((await response.json()) as { ticket: string }).ticket
}

/** For tests: nothing kept. */
export function forget(): void {
  seen.clear()
}
