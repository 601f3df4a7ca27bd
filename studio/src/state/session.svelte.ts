/** Who this page speaks for: a token kept for this tab, got once from the link's fragment. */
const KEPT = 'holdfast.token'

export type Ended = 'none' | 'refused' | 'link'

class Session {
  token = $state(kept())
  /** Why there is no token: never had one, the server refused it, or the link was used up. */
  ended = $state<Ended>('none')

  keep(token: string): void {
    this.token = token
    sessionStorage.setItem(KEPT, token)
  }

  end(why: Ended): void {
    this.token = ''
    this.ended = why
    sessionStorage.removeItem(KEPT)
  }
}

function kept(): string {
  return sessionStorage.getItem(KEPT) ?? ''
}

/** The key of a one-time link. It leaves the address bar at once, so that it is in no history and no screenshot. */
export function takeKey(): string {
  const key = new URLSearchParams(location.hash.slice(1)).get('key') ?? ''
  if (key) history.replaceState(history.state, '', location.pathname + location.search)
  return key
}

export const session = new Session()
