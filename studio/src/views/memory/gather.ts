import type { Answered } from '../../api/client'

const MOST = 5000

export interface Gathered<T> {
  rows: T[]
  /** How many there are in all; more than `rows` where the list was cut. */
  total: number
}

/** A whole list, page after page, up to a bound that a page can still draw. */
export async function gather<T>(ask: (cursor: string) => Promise<Answered<T[]>>, most = MOST): Promise<Gathered<T>> {
  const rows: T[] = []
  let cursor = ''
  let total: number | undefined
  do {
    const page = await ask(cursor)
    rows.push(...page.data)
    total ??= page.total
    cursor = page.next
  } while (cursor && rows.length < most)
  return { rows, total: Math.max(total ?? 0, rows.length) }
}
