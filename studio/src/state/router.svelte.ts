/** Where the page is: /w/{wid}/{view}/{rest…}?query. Every place has an address of its own. */
export interface Place {
  wid: string
  view: string
  rest: string[]
  query: URLSearchParams
}

type Query = Record<string, string | number | boolean | undefined | null>

export function placeOf(pathname: string, search: string): Place {
  const parts = pathname.split('/').filter(Boolean).map(decoded)
  const query = new URLSearchParams(search)
  if (parts[0] !== 'w') return { wid: '', view: '', rest: [], query }
  return { wid: parts[1] ?? '', view: parts[2] ?? 'overview', rest: parts.slice(3), query }
}

export function hrefOf(wid: string, view: string, rest: string[] = [], query: Query = {}): string {
  const path = ['w', wid, view, ...rest].map(encodeURIComponent).join('/')
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '' && value !== false) asked.set(name, String(value))
  }
  return `/${path}${asked.size ? `?${asked}` : ''}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // A hand-made address with a stray %: shown as it stands.
  }
}

class Router {
  place = $state.raw(placeOf(location.pathname, location.search))

  constructor() {
    addEventListener('popstate', () => this.#look())
  }

  // Each part for itself: a letter more in the query is no other workspace, and nothing of it is asked for again.
  wid = $derived(this.place.wid)
  view = $derived(this.place.view)
  rest = $derived(this.place.rest)
  query = $derived(this.place.query)

  /** An address within the workspace that is open. */
  href(view: string, rest: string[] = [], query: Query = {}): string {
    return hrefOf(this.wid, view, rest, query)
  }

  go(href: string, { replace = false } = {}): void {
    if (replace) history.replaceState(null, '', href)
    else history.pushState(null, '', href)
    this.#look()
  }

  /** Change the query alone; an empty value takes the name out. Replaces: filters do not fill the history. */
  ask(changes: Query): void {
    const merged: Query = Object.fromEntries(this.query)
    this.go(this.href(this.view, this.rest, { ...merged, ...changes }), { replace: true })
  }

  /** Plain clicks on our own links stay in the page; new tabs and downloads are left to the browser. */
  clicked = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest?.('a[href]')
    if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return
    if (link.target || link.hasAttribute('download') || !link.pathname.startsWith('/w/')) return
    event.preventDefault()
    this.go(link.pathname + link.search)
  }

  #look(): void {
    const before = this.place
    const place = placeOf(location.pathname, location.search)
    // What did not change stays the same value.
    if (String(place.rest.map(encodeURIComponent)) === String(before.rest.map(encodeURIComponent))) place.rest = before.rest
    if (String(place.query) === String(before.query)) place.query = before.query
    this.place = place
  }
}

export const router = new Router()
