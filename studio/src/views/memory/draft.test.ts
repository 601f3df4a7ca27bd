import { describe, expect, it } from 'vitest'

import { Problem } from '../../api/problem'
import { Draft, type Version } from './draft.svelte'

/** A file on a disk that other people write to. */
function disk(first: string) {
  const file = { text: first as string | undefined, sum: 1 }
  const version = (): Version => {
    if (file.text === undefined) throw new Problem({ status: 404, detail: 'No such memory.' })
    return { markdown: file.text, sha256: String(file.sum) }
  }
  const save = async (markdown: string, sha256: string) => {
    if (version().sha256 !== sha256) throw new Problem({ status: 412, detail: 'It changed on disk.' })
    write(markdown)
  }
  const write = (text: string | undefined) => {
    file.text = text
    file.sum++
  }
  return { file, write, draft: new Draft(version(), { read: async () => version(), save }) }
}

describe('a draft', () => {
  it('is written over what was read', async () => {
    const { file, draft } = disk('old')
    draft.text = 'new'

    expect(await draft.save()).toBe(true)
    expect(file.text).toBe('new')
  })

  it('shows what stands there when somebody else was faster, and keeps the typed text', async () => {
    const { file, write, draft } = disk('old')
    draft.text = 'mine'
    write('theirs')

    expect(await draft.save()).toBe(false)
    expect([draft.theirs?.markdown, draft.text, file.text]).toEqual(['theirs', 'mine', 'theirs'])
  })

  it('can then be written all the same, or given up for the other text', async () => {
    const one = disk('old')
    one.draft.text = 'mine'
    one.write('theirs')
    await one.draft.save()
    expect(await one.draft.keepMine()).toBe(true)
    expect(one.file.text).toBe('mine')

    const two = disk('old')
    two.draft.text = 'mine'
    two.write('theirs')
    await two.draft.save()
    expect(two.draft.takeTheirs()).toBe('mine')
    expect([two.draft.text, two.draft.dirty]).toEqual(['theirs', false])
  })

  it('asks again when a third text came between', async () => {
    const { file, write, draft } = disk('old')
    draft.text = 'mine'
    write('theirs')
    await draft.save()
    write('third')

    expect(await draft.keepMine()).toBe(false)
    expect([draft.theirs?.markdown, file.text, draft.text]).toEqual(['third', 'third', 'mine'])
  })

  it('does not ask when only another entry of the file changed', async () => {
    const { file, draft } = disk('old')
    draft.text = 'mine'
    file.sum = 9

    expect(await draft.save()).toBe(true)
    expect(file.text).toBe('mine')
  })

  it('keeps its text when the file is gone', async () => {
    const { write, draft } = disk('old')
    draft.text = 'mine'
    write(undefined)

    expect(await draft.save()).toBe(false)
    expect([draft.gone, draft.text]).toEqual([true, 'mine'])
  })

  it('is told of a change before it is saved', async () => {
    const { write, draft } = disk('old')
    write('theirs')
    await draft.look()

    expect(draft.theirs?.markdown).toBe('theirs')
  })
})
