import { describe, expect, it } from 'vitest'

import { Pages } from './pages.svelte'

function counted(asked: number[], length: () => number = () => 1000) {
  return async (at: number) => {
    asked.push(at)
    const data = Array.from({ length: Math.max(0, Math.min(10, length() - at)) }, (_, row) => at + row)
    return { data, next: '', total: length(), status: 200, etag: '', batch: '' }
  }
}

describe('a list of which only what is looked at is loaded', () => {
  it('asks for what is in sight, then for what is near', async () => {
    const asked: number[] = []
    const list = new Pages<number>(counted(asked), { size: 10, ahead: 10 })
    await list.begin()
    list.need(0, 5)
    await expect.poll(() => asked).toEqual([0, 10])

    expect([list.rows.length, list.total, list.rows[19], list.rows[20]]).toEqual([1000, 1000, 19, undefined])
  })

  it('leaps to the end without what lies between', async () => {
    const asked: number[] = []
    const list = new Pages<number>(counted(asked), { size: 10, ahead: 10 })
    await list.begin()
    list.need(985, 1000)
    await expect.poll(() => list.rows[999]).toBe(999)
    await expect.poll(() => asked.length).toBe(5)

    expect(asked).toEqual([0, 10, 980, 990, 970])
    expect([list.rows[500], list.rows[985]]).toEqual([undefined, 985])
  })

  it('loads only where one stays while the bar is dragged', async () => {
    const asked: number[] = []
    const list = new Pages<number>(counted(asked), { size: 10, ahead: 0 })
    await list.begin()
    for (let at = 100; at <= 900; at += 100) list.need(at, at + 5)
    await expect.poll(() => list.rows[900]).toBe(900)

    expect(asked).toEqual([0, 100, 900])
  })

  it('keeps the rows in sight while they are read anew, and goes to the end where the list became shorter', async () => {
    const asked: number[] = []
    let length = 1000
    const list = new Pages<number>(counted(asked, () => length), { size: 10, ahead: 0 })
    await list.begin()
    list.need(500, 505)
    await expect.poll(() => list.rows[500]).toBe(500)
    asked.length = 0

    const reading = list.begin(true)
    expect(list.rows[500]).toBe(500)
    await reading
    expect([asked, list.rows[500], list.rows[0]]).toEqual([[500], 500, undefined])

    length = 25
    await list.begin(true)
    await expect.poll(() => list.rows[24]).toBe(24)
    expect([list.total, list.rows.length]).toEqual([25, 25])
  })

  it('mixes in no page of before', async () => {
    let answer: (() => void) | undefined
    const list = new Pages<number>(
      async (at) => {
        if (at) await new Promise<void>((resolve) => (answer = resolve))
        return { data: [at ? 99 : 1], next: '', total: 50, status: 200, etag: '', batch: '' }
      },
      { size: 10, ahead: 0 },
    )
    await list.begin()
    list.need(20, 25)
    await expect.poll(() => answer).toBeDefined()

    await list.begin()
    answer?.()
    await new Promise((resolve) => setTimeout(resolve))

    expect([list.rows[0], list.rows[20]]).toEqual([1, undefined])
  })

  it('says why it could not', async () => {
    const list = new Pages<number>(() => Promise.reject(new Error('away')), { size: 10, ahead: 0 })
    await list.begin()

    expect([list.begun, list.problem === undefined]).toEqual([false, false])
  })
})
