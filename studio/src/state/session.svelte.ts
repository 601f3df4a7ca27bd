/** Who this page speaks for: a token kept for this tab, got once from the link's fragment or from a tab beside it. */
const KEPT = 'holdfast.token'
const CHANNEL = 'holdfast'
const ASKED = 'token?'
const PATIENCE = 250

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

/** Tell other tabs of this origin the token when they ask: a link opened in a new tab works there too. */
export function lend(): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }) => {
    if (data === ASKED && session.token) channel.postMessage({ token: session.token })
  }
  return () => channel.close()
}

/** Ask other tabs for their token. Silence for a moment means that there is none. */
export async function borrow(): Promise<void> {
  const channel = new BroadcastChannel(CHANNEL)
  const token = await new Promise<string>((done) => {
    const silence = setTimeout(() => done(''), PATIENCE)
    channel.onmessage = ({ data }) => {
      if (typeof data?.token !== 'string') return
      clearTimeout(silence)
      done(data.token)
    }
    channel.postMessage(ASKED)
  })
  channel.close()
  if (token) session.keep(token)
}
