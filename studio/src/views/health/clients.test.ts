import { describe, expect, it } from 'vitest'

import type { Shape } from '../../api/client'
import { standing } from './clients'

function client(more: Partial<Shape<'ClientRow'>>): Shape<'ClientRow'> {
  return {
    id: 'codex', title: 'Codex', found: true, installed: true, complete: true, trusted: null, lastEvent: '', eventsToday: 0,
    failuresToday: 0, used: '', silent: false, hooks: true, ...more,
  } // prettier-ignore
}

describe('standing', () => {
  it.each([
    [{ installed: false }, 'not set up', 'plain'],
    [{ installed: false, lastEvent: '2026-11-15T09:00:00Z' }, 'heard', 'good'],
    [{ complete: false }, 'incomplete', 'warn'],
    [{ trusted: false }, 'not trusted', 'warn'],
    [{ used: '2026-11-15T09:00:00Z', silent: true }, 'silent', 'bad'],
    [{ silent: true }, 'silent so far', 'warn'],
    [{ failuresToday: 2, lastEvent: '2026-11-15T09:00:00Z' }, 'hook failed', 'warn'],
    [{ hooks: false }, 'no hooks', 'plain'],
    [{ lastEvent: '2026-11-15T09:00:00Z' }, 'heard', 'good'],
    [{}, 'set up', 'good'],
  ] as const)('of %o is %s', (more, word, tone) => {
    expect(standing(client(more))).toMatchObject({ word, tone })
  })

  it('always says what to do when something is wrong', () => {
    for (const more of [{ installed: false }, { complete: false }, { trusted: false }, { silent: true }, { failuresToday: 1 }]) {
      const said = standing(client(more))
      expect(said.command || said.todo.join('')).not.toBe('')
    }
  })
})
