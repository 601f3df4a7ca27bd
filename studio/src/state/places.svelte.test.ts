import { flushSync } from 'svelte'
import { expect, it } from 'vitest'

import { router } from './router.svelte'

it('tells of a letter more in the query to nobody who looks at the workspace, the view or what is open', () => {
  router.go('/w/x/memory/M1')
  const told: string[] = []
  const asked: string[] = []
  const stop = $effect.root(() => {
    $effect(() => void told.push(`${router.wid} ${router.view} ${router.rest.join()}`))
    $effect(() => void asked.push(router.query.get('q') ?? ''))
  })
  flushSync()

  router.ask({ q: 'p' })
  flushSync()
  router.go('/w/y/memory/M1?q=p')
  flushSync()
  stop()

  expect(told).toEqual(['x memory M1', 'y memory M1'])
  expect(asked).toEqual(['', 'p'])
})
