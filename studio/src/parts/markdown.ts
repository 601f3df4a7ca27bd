/*
 * A small Markdown reader: text → a tree of values, which Markdown.svelte turns into elements. There is no HTML in
 * it and none comes out: tags are text. Each pass is linear, since the text may be made to be slow.
 */
import { plain } from './plain'

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong'; inside: Inline[] }
  | { kind: 'em'; inside: Inline[] }
  | { kind: 'gone'; inside: Inline[] }
  | { kind: 'link'; href: string; inside: Inline[] }
  | { kind: 'break' }

export type Block =
  | { kind: 'heading'; level: number; inside: Inline[] }
  | { kind: 'paragraph'; inside: Inline[] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; inside: Block[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Item[] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' }

export interface Item {
  /** undefined: no checkbox. */
  done: boolean | undefined
  inside: Block[]
}

const DEEPEST = 8
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)/
const HEADING = /^ {0,3}(#{1,6})(?:\s+|$)/
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/
const BULLET = /^( {0,3})([-*+]|\d{1,9}[.)])(?: +|$)/
const TABLE_LINE = /^ {0,3}\|?[\s:|-]+\|?\s*$/

export function markdown(text: string): Block[] {
  return blocks(plain(text).replace(/\t/g, '    ').split('\n'), 0)
}

function blocks(lines: string[], depth: number): Block[] {
  const found: Block[] = []
  let at = 0
  while (at < lines.length) {
    if (!lines[at]?.trim()) {
      at += 1
      continue
    }
    const [block, next] = blockAt(lines, at, depth)
    found.push(block)
    at = next
  }
  return found
}

function blockAt(lines: string[], at: number, depth: number): [Block, number] {
  const line = lines[at] ?? ''
  const fence = FENCE.exec(line)
  if (fence) return fenced(lines, at, fence[1] ?? '```', fence[2] ?? '')
  const heading = HEADING.exec(line)
  if (heading) {
    const words = line.slice(heading[0].length).trimEnd().replace(/ #+$/, '')
    return [{ kind: 'heading', level: heading[1]?.length ?? 1, inside: inline(words) }, at + 1]
  }
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1]
  if (depth < DEEPEST && /^ {0,3}>/.test(line)) return quote(lines, at, depth)
  if (depth < DEEPEST && BULLET.test(line)) return list(lines, at, depth)
  if (line.includes('|') && TABLE_LINE.test(lines[at + 1] ?? '') && lines[at + 1]?.includes('-')) return table(lines, at)
  return paragraph(lines, at, depth)
}

function fenced(lines: string[], at: number, fence: string, language: string): [Block, number] {
  const closing = fence[0] ?? '`'
  let end = at + 1
  while (end < lines.length) {
    const line = (lines[end] ?? '').trim()
    if (line.length >= fence.length && line === closing.repeat(line.length)) break
    end += 1
  }
  return [{ kind: 'code', language, text: lines.slice(at + 1, end).join('\n') }, end + 1]
}

function quote(lines: string[], at: number, depth: number): [Block, number] {
  let end = at
  while (end < lines.length && lines[end]?.trim() && (/^ {0,3}>/.test(lines[end] ?? '') || !startsBlock(lines[end] ?? '', depth))) end += 1
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''))
  return [{ kind: 'quote', inside: blocks(inner, depth + 1) }, end]
}

function list(lines: string[], at: number, depth: number): [Block, number] {
  const first = BULLET.exec(lines[at] ?? '')?.[2] ?? '-'
  const ordered = /\d/.test(first)
  const items: Item[] = []
  let here = at
  while (here < lines.length) {
    const bullet = BULLET.exec(lines[here] ?? '')
    if (!bullet || /\d/.test(bullet[2] ?? '') !== ordered || RULE.test(lines[here] ?? '')) break
    const [item, next] = itemAt(lines, here, bullet[0].length, depth)
    items.push(item)
    here = next
  }
  return [{ kind: 'list', ordered, start: ordered ? Number.parseInt(first, 10) : 1, items }, here]
}

function itemAt(lines: string[], at: number, indent: number, depth: number): [Item, number] {
  const inner = [(lines[at] ?? '').slice(indent)]
  let end = at + 1
  while (end < lines.length) {
    const line = lines[end] ?? ''
    const inset = line.length - line.trimStart().length
    if (!line.trim()) {
      const next = lines[end + 1] ?? ''
      if (!next.trim() || next.length - next.trimStart().length < 2) break
    } else if (inset < 2 && startsBlock(line, depth)) {
      break
    }
    inner.push(line.slice(Math.min(inset, indent)))
    end += 1
  }
  const box = /^\[([ xX])\] /.exec(inner[0] ?? '')
  if (box) inner[0] = (inner[0] ?? '').slice(4)
  while (end < lines.length && !lines[end]?.trim() && BULLET.test(lines[end + 1] ?? '')) end += 1
  return [{ done: box ? box[1] !== ' ' : undefined, inside: blocks(inner, depth + 1) }, end]
}

function table(lines: string[], at: number): [Block, number] {
  const head = cells(lines[at] ?? '')
  const rows: Inline[][][] = []
  let end = at + 2
  while (end < lines.length && lines[end]?.trim() && lines[end]?.includes('|')) {
    const row = cells(lines[end] ?? '')
    rows.push(head.map((_, column) => row[column] ?? []))
    end += 1
  }
  return [{ kind: 'table', head, rows }, end]
}

function cells(line: string): Inline[][] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split('|').map((cell) => inline(cell.trim()))
}

function paragraph(lines: string[], at: number, depth: number): [Block, number] {
  let end = at + 1
  while (end < lines.length && lines[end]?.trim() && !startsBlock(lines[end] ?? '', depth)) end += 1
  const words = lines.slice(at, end).map((line) => line.trimStart())
  return [{ kind: 'paragraph', inside: inline(words.join('\n')) }, end]
}

function startsBlock(line: string, depth: number): boolean {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true
  return depth < DEEPEST && (/^ {0,3}>/.test(line) || BULLET.test(line))
}

const MARKS: Record<string, 'strong' | 'em' | 'gone'> = { '**': 'strong', __: 'strong', '*': 'em', _: 'em', '~~': 'gone' }

/** Words within a block. A mark without its partner is text. */
export function inline(text: string, depth = 0): Inline[] {
  const found: Inline[] = []
  // A closing mark that was looked for and not found is not looked for again: that keeps this linear.
  const missing = new Set<string>()
  let run = ''
  let at = 0
  const push = (piece: Inline) => {
    if (run) found.push({ kind: 'text', text: run })
    run = ''
    found.push(piece)
  }
  while (at < text.length) {
    const taken = depth < DEEPEST ? pieceAt(text, at, depth, missing) : undefined
    if (taken) {
      push(taken[0])
      at = taken[1]
    } else if (text[at] === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) {
      run += text[at + 1]
      at += 2
    } else {
      run += text[at]
      at += 1
    }
  }
  if (run) found.push({ kind: 'text', text: run })
  return found
}

function pieceAt(text: string, at: number, depth: number, missing: Set<string>): [Inline, number] | undefined {
  switch (text[at]) {
    case '`':
      return codeAt(text, at, missing)
    case '*':
    case '_':
    case '~':
      return markedAt(text, at, depth, missing)
    case '[':
      return linkAt(text, at, depth, missing)
    case 'h':
      return bareLinkAt(text, at)
    case '\n':
      return text.slice(at - 2, at) === '  ' || text[at - 1] === '\\' ? [{ kind: 'break' }, at + 1] : undefined
    default:
      return undefined
  }
}

function codeAt(text: string, at: number, missing: Set<string>): [Inline, number] | undefined {
  let ticks = 1
  while (text[at + ticks] === '`') ticks += 1
  const fence = '`'.repeat(ticks)
  const end = seek(text, fence, at + ticks, missing)
  if (end < 0) return ticks > 1 ? [{ kind: 'text', text: fence }, at + ticks] : undefined
  return [{ kind: 'code', text: text.slice(at + ticks, end).replace(/\n/g, ' ') }, end + ticks]
}

function markedAt(text: string, at: number, depth: number, missing: Set<string>): [Inline, number] | undefined {
  const two = text.slice(at, at + 2)
  const mark = two in MARKS ? two : (text[at] ?? '')
  const kind = MARKS[mark]
  const after = text[at + mark.length]
  // snake_case and 2 * 3 are no emphasis.
  if (!kind || !after || /\s/.test(after) || (mark[0] === '_' && /\w/.test(text[at - 1] ?? ''))) return undefined
  let end = seek(text, mark, at + mark.length, missing)
  if (mark === '*' && end >= 0 && text[end + 1] === '*') end = seek(text, mark, end + 2, missing)
  if (end <= at + mark.length || /\s/.test(text[end - 1] ?? ' ')) return undefined
  if (mark[0] === '_' && /\w/.test(text[end + mark.length] ?? '')) return undefined
  return [{ kind, inside: inline(text.slice(at + mark.length, end), depth + 1) }, end + mark.length]
}

const LONGEST_LINK = 2000

function linkAt(text: string, at: number, depth: number, missing: Set<string>): [Inline, number] | undefined {
  const middle = seek(text, '](', at + 1, missing)
  if (middle < 0 || middle - at > LONGEST_LINK) return undefined
  const end = text.slice(middle + 2, middle + 2 + LONGEST_LINK).search(/[)\s]/)
  if (end < 0 || text[middle + 2 + end] !== ')') return undefined
  const label = text.slice(at + 1, middle)
  const href = safe(text.slice(middle + 2, middle + 2 + end))
  const inside = inline(label, depth + 1)
  if (!href) return [{ kind: 'text', text: text.slice(at, middle + 3 + end) }, middle + 3 + end]
  return [{ kind: 'link', href, inside }, middle + 3 + end]
}

function bareLinkAt(text: string, at: number): [Inline, number] | undefined {
  if (!text.startsWith('https://', at) && !text.startsWith('http://', at)) return undefined
  if (/\w/.test(text[at - 1] ?? '')) return undefined
  const length = text.slice(at, at + LONGEST_LINK).search(/[\s<>"'`)\]|]|$/)
  const words = text.slice(at, at + length).replace(/[.,;:!?*_]+$/, '')
  const href = safe(words)
  return href ? [{ kind: 'link', href, inside: [{ kind: 'text', text: words }] }, at + words.length] : undefined
}

/** Only the web's own addresses: a script's or a file's address stays text. */
function safe(href: string): string {
  try {
    const url = new URL(href)
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : ''
  } catch {
    return ''
  }
}

function seek(text: string, wanted: string, from: number, missing: Set<string>): number {
  if (missing.has(wanted)) return -1
  const at = text.indexOf(wanted, from)
  if (at < 0) missing.add(wanted)
  return at
}
