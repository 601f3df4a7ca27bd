/** What changed between two texts, line by line. */
export interface Line {
  kind: 'same' | 'gone' | 'new'
  text: string
  /** Line numbers, 1 at first; 0 where the line is not in that text. */
  before: number
  after: number
}

const MOST_WORK = 4_000_000

export function difference(before: string, after: string): Line[] {
  const a = before.split('\n')
  const b = after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const lines: Line[] = []
  for (let at = 0; at < start; at++) lines.push({ kind: 'same', text: a[at] ?? '', before: at + 1, after: at + 1 })
  lines.push(...middle(a.slice(start, a.length - end), b.slice(start, b.length - end), start))
  for (let at = end; at > 0; at--) {
    lines.push({ kind: 'same', text: a[a.length - at] ?? '', before: a.length - at + 1, after: b.length - at + 1 })
  }
  return lines
}

/** The longest common lines; texts too large for that are shown as all gone, all new. */
function middle(a: string[], b: string[], offset: number): Line[] {
  const gone = (at: number): Line => ({ kind: 'gone', text: a[at] ?? '', before: offset + at + 1, after: 0 })
  const added = (at: number): Line => ({ kind: 'new', text: b[at] ?? '', before: 0, after: offset + at + 1 })
  if (a.length * b.length > MOST_WORK) return [...a.map((_, at) => gone(at)), ...b.map((_, at) => added(at))]
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0)
    }
  }
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '', before: offset + i + 1, after: offset + j + 1 })
      i += 1
      j += 1
    } else if (i < a.length && (j >= b.length || (longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0))) {
      lines.push(gone(i++))
    } else {
      lines.push(added(j++))
    }
  }
  return lines
}

/** A unified diff as git prints it. Lines before the first hunk (file names, modes) are left out. */
export function unified(patch: string): Line[] {
  const lines: Line[] = []
  let before = 0
  let after = 0
  let within = false
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      within = true
    } else if (!within || text.startsWith('\\')) continue
    else if (text.startsWith('-')) lines.push({ kind: 'gone', text: text.slice(1), before: before++, after: 0 })
    else if (text.startsWith('+')) lines.push({ kind: 'new', text: text.slice(1), before: 0, after: after++ })
    else if (text.startsWith(' ')) lines.push({ kind: 'same', text: text.slice(1), before: before++, after: after++ })
    else within = false
  }
  return lines
}
