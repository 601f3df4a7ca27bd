/** A text in pieces, some of them marked: what Svelte draws as text nodes, never as HTML. */
export interface Piece {
  text: string
  marked: boolean
}

const WORD = /[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*/gu
// Words that stand in nearly every sentence; marking them says nothing.
const QUIET = new Set(
  'a an and are as at be been by do does for from has have in into is it its not of on or our so than that the their them then they this to was we were when which will with you your'.split(' '),
)

/** Mark the quote in a text. Spaces and line breaks may differ; the ends may be cut with “…”. */
export function marked(text: string, quote: string): Piece[] {
  const found = place(text, quote)
  if (!found) return text ? [{ text, marked: false }] : []
  const [from, to] = found
  return pieces([
    [text.slice(0, from), false],
    [text.slice(from, to), true],
    [text.slice(to), false],
  ])
}

/** Whether a text holds a quote, spaces aside. */
export function holds(text: string, quote: string): boolean {
  return place(text, quote) !== undefined
}

/** Mark in one text the words that the other does not have. */
export function clashing(text: string, other: string): Piece[] {
  const known = new Set(wordsOf(other))
  const made: [string, boolean][] = []
  let end = 0
  for (const match of text.matchAll(WORD)) {
    const word = match[0].toLowerCase()
    if (QUIET.has(word) || known.has(stem(word))) continue
    made.push([text.slice(end, match.index), false], [match[0], true])
    end = match.index + match[0].length
  }
  made.push([text.slice(end), false])
  return pieces(made)
}

/** Mark the clashing words inside the sentence that clashes; the rest of the text stays as it is. */
export function clashIn(text: string, sentence: string, other: string): Piece[] {
  const found = sentence ? place(text, sentence) : undefined
  if (!found) return clashing(text, other)
  const [from, to] = found
  return joined([
    ...pieces([[text.slice(0, from), false]]),
    ...clashing(text.slice(from, to), other),
    ...pieces([[text.slice(to), false]]),
  ])
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map((match) => stem(match[0].toLowerCase()))
}

// “session” and “sessions” are no clash.
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:es|s)$/u, '') : word
}

function place(text: string, quote: string): [number, number] | undefined {
  const words = quote
    .replace(/^[\s…]+|[\s…]+$/gu, '')
    .split(/\s+/u)
    .filter(Boolean)
  if (!words.length) return undefined
  const exact = text.indexOf(words.join(' '))
  if (exact >= 0) return [exact, exact + words.join(' ').length]
  return loose(text, words)
}

/** Without a regular expression made of captured text: walk word by word over any white space. */
function loose(text: string, words: string[]): [number, number] | undefined {
  for (let from = text.indexOf(words[0]!); from >= 0; from = text.indexOf(words[0]!, from + 1)) {
    const to = follow(text, from, words)
    if (to) return [from, to]
  }
  return undefined
}

function follow(text: string, from: number, words: string[]): number {
  let at = from
  for (const word of words) {
    while (at > from && /\s/u.test(text[at] ?? '')) at++
    if (!text.startsWith(word, at)) return 0
    at += word.length
  }
  return at
}

function pieces(parts: [string, boolean][]): Piece[] {
  return joined(parts.map(([text, isMarked]) => ({ text, marked: isMarked })))
}

function joined(parts: Piece[]): Piece[] {
  const made: Piece[] = []
  for (const part of parts) {
    if (!part.text) continue
    const last = made.at(-1)
    if (last && last.marked === part.marked) last.text += part.text
    else made.push({ ...part })
  }
  return made
}
