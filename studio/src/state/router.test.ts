import { describe, expect, it } from 'vitest'

import { hrefOf, placeOf, router } from './router.svelte'
import { borrow, lend, session, takeKey } from './session.svelte'

describe('the router', () => {
  it('reads a place back from its address, whatever the steps hold', () => {
    const rest = ['src/a b.py', 'x?y#z', '%', 'ü']
    const href = hrefOf('w1', 'lineage', rest, { q: 'a&b', none: '', off: false, zero: 0 })
    const url = new URL(href, location.origin)
    const place = placeOf(url.pathname, url.search)
    expect(place).toMatchObject({ wid: 'w1', view: 'lineage', rest })
    expect(Object.fromEntries(place.query)).toEqual({ q: 'a&b', zero: '0' })
  })

  it('takes a broken address as it stands', () => {
    expect(placeOf('/w/x/memory/%E0%A4%A', '').rest).toEqual(['%E0%A4%A'])
    expect(placeOf('/elsewhere', '').wid).toBe('')
  })

  it('changes the query alone', () => {
    router.go('/w/x/review/C1?type=decision')
    router.ask({ words: 'pool', type: '' })
    expect(location.pathname + location.search).toBe('/w/x/review/C1?words=pool')
  })

  it('gets the token from a tab beside it, and goes without where there is none', async () => {
    session.end('none')
    await borrow()
    expect(session.token).toBe('')
    const beside = new BroadcastChannel('holdfast')
    beside.onmessage = ({ data }) => data === 'token?' && beside.postMessage({ token: 'lent' })
    await borrow()
    beside.close()
    expect(session.token).toBe('lent')
  })

  it('lends its token to who asks', async () => {
    session.keep('own')
    const stop = lend()
    const asking = new BroadcastChannel('holdfast')
    const told = new Promise((done) => (asking.onmessage = ({ data }) => done(data)))
    asking.postMessage('token?')
    expect(await told).toEqual({ token: 'own' })
    asking.close()
    stop()
  })

  it('takes the key out of the address', () => {
    history.replaceState(null, '', '/w/x/review#key=abc')
    expect(takeKey()).toBe('abc')
    expect(location.href).not.toContain('abc')
    expect(takeKey()).toBe('')
  })
})
