import { describe, expect, it } from 'vitest'

import { filesOf, lasted, said } from './words'

describe('a diff of several files', () => {
  const diff = [
    '--- a/one.py', '+++ b/one.py', '@@ -1,2 +1,2 @@', ' same', '---- was a rule', '++++ is a rule',
    '--- /dev/null', '+++ b/new.py', '@@ -0,0 +1 @@', '+x', '\\ No newline at end of file',
    'diff --git a/old.py b/old.py', '--- a/old.py\t2026', '+++ /dev/null', '@@ -1 +0,0 @@', '-y',
  ].join('\n')

  it('is parted by file, and a changed line that looks like a name stays a line', () => {
    expect(filesOf(diff)).toEqual([
      { path: 'one.py', patch: '@@ -1,2 +1,2 @@\n same\n---- was a rule\n++++ is a rule' },
      { path: 'new.py', patch: '@@ -0,0 +1 @@\n+x' },
      { path: 'old.py', patch: '@@ -1 +0,0 @@\n-y' },
    ])
  })

  it('is empty without one', () => {
    expect(filesOf('')).toEqual([])
    expect(filesOf('@@ -1 +1 @@\n-a\n+b')).toEqual([])
  })
})

describe('events in words', () => {
  it('say what happened in one line without escape codes', () => {
    const event = { type: 'task_complete', ts: '', cursor: '', data: { task_id: 't1', error: 'no\n\x1b[31mway\x1b[0m' } }

    expect(said(event)).toBe('t1: no way')
    expect(said({ ...event, type: 'orient', data: { constraints: 1, learnings: 2 } })).toBe('1 constraint, 2 learnings')
    expect(said({ ...event, type: 'unheard of', data: {} })).toBe('')
  })

  it('say how long something lasted', () => {
    expect([5, 1500, 61_000, 3_720_000].map(lasted)).toEqual(['5 ms', '1.5 s', '1 min 1 s', '1 h 2 min'])
    expect([1_800_000, 119_900, 7_200_000].map(lasted)).toEqual(['30 min', '1 min 59 s', '2 h'])
  })
})
