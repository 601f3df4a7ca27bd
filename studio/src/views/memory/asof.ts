/** Days, as YYYY-MM-DD, on which memory changed: the stops of the slider. '' is now. */

/** The day of a moment, on this machine's clock. */
export function dayOf(moment: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(moment)) return isDay(moment) ? moment : ''
  const at = new Date(moment)
  return Number.isNaN(at.getTime()) ? '' : localDay(at)
}

export function localDay(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** A real day: not the 31st of June. */
export function isDay(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!found) return false
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number]
  const at = new Date(Date.UTC(year, month - 1, day))
  return at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
}

/** The stops, oldest first: each day once, none after today. Today is no stop; after the last one comes now. */
export function stopsOf(moments: Iterable<string>, today: string): string[] {
  const days = new Set<string>()
  for (const moment of moments) {
    const day = moment ? dayOf(moment) : ''
    if (day && day < today) days.add(day)
  }
  return [...days].sort()
}

/** Where the slider stands for a day: at the last stop that is not after it; past the last one for now. */
export function stopAt(stops: readonly string[], asOf: string): number {
  if (!asOf) return stops.length
  let at = -1
  stops.forEach((day, place) => {
    if (day <= asOf) at = place
  })
  return Math.max(at, 0)
}

/** The day of a stop; past the last one: now. */
export function dayAt(stops: readonly string[], at: number): string {
  return stops[at] ?? ''
}

/** What a typed day means. Today and later is now; what is no day is nothing. */
export function asked(day: string, today: string): string | undefined {
  if (!day) return ''
  if (!isDay(day)) return undefined
  return day >= today ? '' : day
}

/** One stop back or on from any day, also one between two stops. */
export function stepped(stops: readonly string[], asOf: string, step: 1 | -1): string {
  if (step > 0) return asOf ? (stops.find((day) => day > asOf) ?? '') : ''
  const before = asOf ? stops.filter((day) => day < asOf) : stops
  return before.at(-1) ?? asOf
}
