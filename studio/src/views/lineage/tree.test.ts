import { describe, expect, it } from 'vitest'

import { foundRows, treeRows, type File } from './tree'

function file(path: string, editCount = 1): File {
  return { path, editCount, last: '2026-11-15T10:00:00Z', createdBy: '' }
}

const files = [file('src/app/main.py', 3), file('src/app/util.py'), file('README.md'), file('tests/unit/test_main.py')]

describe('files as a tree', () => {
  it('joins folders that hold one folder, and puts folders first', () => {
    const rows = treeRows(files, new Set())

    expect(rows.map((row) => `${'  '.repeat(row.depth)}${row.name}`)).toEqual([
      'src/app', '  main.py', '  util.py', 'tests/unit', '  test_main.py', 'README.md',
    ])
    expect(rows[0]).toMatchObject({ kind: 'folder', key: 'src/app/', files: 2, edits: 4, open: true })
  })

  it('leaves out what is in a closed folder', () => {
    const rows = treeRows(files, new Set(['src/app']))

    expect(rows.map((row) => row.key)).toEqual(['src/app/', 'tests/unit/', 'tests/unit/test_main.py', 'README.md'])
  })

  it('finds files by all the words', () => {
    expect(foundRows(files, 'MAIN py').map((row) => row.key)).toEqual(['src/app/main.py', 'tests/unit/test_main.py'])
    expect(foundRows(files, 'nowhere')).toEqual([])
  })
})
