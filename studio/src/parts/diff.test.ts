import { describe, expect, it } from 'vitest'

import { difference, unified } from './diff'

const marks = { same: ' ', gone: '-', new: '+' }
const shown = (lines: ReturnType<typeof difference>) => lines.map((line) => marks[line.kind] + line.text)

describe('difference', () => {
  it('keeps what both have and numbers the lines', () => {
    const lines = difference('a\nb\nc\nd', 'a\nx\nc\ny\nd')
    expect(shown(lines)).toEqual([' a', '-b', '+x', ' c', '+y', ' d'])
    expect(lines.at(-1)).toMatchObject({ before: 4, after: 5 })
  })

  it('gives both texts back', () => {
    const before = 'one\ntwo\ntwo\nthree\n'
    const after = 'two\nthree\nfour\n\n'
    const lines = difference(before, after)
    expect(lines.filter((line) => line.kind !== 'new').map((line) => line.text).join('\n')).toBe(before)
    expect(lines.filter((line) => line.kind !== 'gone').map((line) => line.text).join('\n')).toBe(after)
  })

  it('takes texts that are too large to compare', () => {
    const before = Array.from({ length: 5000 }, (_, at) => `a${at}`).join('\n')
    const after = Array.from({ length: 5000 }, (_, at) => `b${at}`).join('\n')
    expect(difference(before, after)).toHaveLength(10_000)
  })
})

describe('unified', () => {
  it('reads what git prints, a line that looks like a header among it', () => {
    const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ def f\n same\n--- gone\n+++ new\n\\ No newline at end of file\n'
    const lines = unified(patch)
    expect(shown(lines)).toEqual([' same', '--- gone', '+++ new'])
    expect(lines[1]?.before).toBe(4)
  })
})
