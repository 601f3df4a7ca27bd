import { describe, expect, it } from 'vitest'

import { changesOf, said, scoreOf } from './curation'
import { counted, size } from './sizes'

describe('changesOf', () => {
  it('gives what a plan rewrites and what it makes', () => {
    const changes = [
      { change: 'LRN-1', fields: { status: ['accepted', 'deprecated'], because: [null, 'old'] } },
      { create: { id: 'LRN-2', title: 'Both', body: '', tags: ['a', 'b'], sha256: 'x' } },
    ]
    expect(changesOf({ name: 'x', about: '', changes })).toEqual([
      {
        id: 'LRN-1',
        made: false,
        fields: [
          { name: 'status', before: 'accepted', after: 'deprecated' },
          { name: 'because', before: null, after: 'old' },
        ],
      },
      {
        id: 'LRN-2',
        made: true,
        fields: [
          { name: 'title', before: undefined, after: 'Both' },
          { name: 'tags', before: undefined, after: ['a', 'b'] },
        ],
      },
    ])
  })

  it('takes what it does not know', () => {
    expect(changesOf({ name: 'x', about: '', changes: [null, 3, { change: 'A' }] })).toEqual([{ id: 'A', made: false, fields: [] }])
  })
})

describe('words', () => {
  it('says values of any kind on one line, without control characters', () => {
    expect(said(null)).toBe('–')
    expect(said(['a', 'b'])).toBe('a, b')
    expect(said('x\x1b[31m\ny')).toBe('x y')
    expect(said([{ path: 'a' }])).toBe('[{"path":"a"}]')
  })

  it('says sizes and numbers', () => {
    expect([0, 999, 57_626, 348_160, 67_912_622_080].map(size)).toEqual(['0 B', '999 B', '57.6 kB', '348 kB', '67.9 GB'])
    expect([counted(1, 'memory', 'memories'), counted(2000, 'memory', 'memories')]).toEqual(['1 memory', '2,000 memories'])
  })

  it('has no score where there is none', () => {
    expect(scoreOf({ health: null, memories: 0, counts: {}, findings: [], total: 0, dismissed: 0 })).toBeUndefined()
  })
})
