import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet, tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'

import { Heights } from './heights'
import VirtualList from './VirtualList.svelte'

const row = createRawSnippet((item: () => string) => ({ render: () => `<span>${item()}</span>` }))
const items = Array.from({ length: 100_000 }, (_, at) => `row ${at}`)

async function list(more: Record<string, unknown> = {}) {
  // jsdom lays nothing out: the box is told how high it is.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
  const props = { items, key: (item: string) => item, label: 'Rows', rowHeight: 40, row, ...more }
  const drawn = render(VirtualList, { props: props as never })
  await tick()
  return { box: screen.getByRole('listbox'), ...drawn }
}

describe('VirtualList', () => {
  it('draws a few of many rows and tells the number of all', async () => {
    await list()
    const drawn = screen.getAllByRole('option')
    expect(drawn.length).toBeLessThan(40)
    expect(drawn[0]?.textContent).toContain('row 0')
    expect(drawn[0]?.getAttribute('aria-setsize')).toBe('100000')
  })

  it('draws what is at the place scrolled to', async () => {
    const { box } = await list()
    box.scrollTop = 40 * 50_000
    await fireEvent.scroll(box)
    const drawn = screen.getAllByRole('option').map((line) => line.getAttribute('aria-posinset'))
    expect(drawn).toContain('50001')
    expect(drawn.length).toBeLessThan(40)
  })

  it('moves by keys and tells what was chosen and opened', async () => {
    const onchoose = vi.fn()
    const onopen = vi.fn()
    const { box } = await list({ onchoose, onopen })
    await fireEvent.keyDown(box, { key: 'ArrowDown' })
    await fireEvent.keyDown(box, { key: 'ArrowDown' })
    await fireEvent.keyDown(box, { key: 'Enter' })
    await fireEvent.keyDown(box, { key: 'End' })
    expect(onchoose.mock.calls.map(([at]) => at)).toEqual([0, 1, 99_999])
    expect(onopen).toHaveBeenCalledWith(1)
  })

  it('bears rows with one key', async () => {
    await list({ items: ['same', 'same', 'other'] })
    expect(screen.getAllByRole('option')).toHaveLength(3)
  })

  it('asks for the rows in sight', async () => {
    const onrange = vi.fn()
    const { box } = await list({ items: items.slice(0, 10), count: 5000, onrange })
    box.scrollTop = 40 * 1000
    await fireEvent.scroll(box)
    const [from, to] = onrange.mock.lastCall as [number, number]
    expect(from).toBeLessThanOrEqual(1000)
    expect(to).toBeGreaterThan(1000)
  })
})

describe('Heights', () => {
  it('keeps what is known when rows are added or go', () => {
    const before = new Heights(10, 20)
    before.set(3, 50)
    expect(new Heights(12, 20, before).total).toBe(12 * 20 + 30)
    expect(new Heights(2, 20, before).total).toBe(40)
  })

  it('finds rows by place whatever their heights', () => {
    const heights = new Heights(1000, 20)
    heights.set(0, 100)
    heights.set(500, 1)
    expect(heights.total).toBe(1000 * 20 + 80 - 19)
    for (const row of [0, 1, 499, 500, 501, 999]) {
      expect(heights.at(heights.top(row))).toBe(row)
      expect(heights.at(heights.top(row) + heights.of(row) - 0.5)).toBe(row)
    }
    expect(heights.at(1e9)).toBe(999)
  })
})
