import { plain } from '../../parts/plain'
import { holds, marked, type Piece } from '../review/words'

const MOST = 700
const LEAD = 240

export interface Clipped {
  pieces: Piece[]
  /** How many characters are left out. */
  left: number
}

/** A turn's text with the quote marked, cut to what stands around it unless all is wanted. */
export function clipped(text: string, quote: string, whole = false): Clipped {
  const shown = plain(text)
  const pieces = marked(shown, plain(quote))
  if (whole || shown.length <= MOST) return { pieces, left: 0 }
  const cut = around(pieces)
  return { pieces: cut, left: shown.length - cut.reduce((sum, piece) => sum + piece.text.replace(/^…|…$/gu, '').length, 0) }
}

function around(pieces: Piece[]): Piece[] {
  const at = pieces.findIndex((piece) => piece.marked)
  if (at < 0) return [{ text: `${cutAt(pieces[0]?.text ?? '', MOST)}…`, marked: false }]
  const before = pieces[at - 1]?.text ?? ''
  const after = pieces[at + 1]?.text ?? ''
  const quote = pieces[at]!.text
  const made = [
    { text: before.length > LEAD ? `…${before.slice(before.length - LEAD)}` : before, marked: false },
    { text: quote.length > MOST ? `${cutAt(quote, MOST)}…` : quote, marked: true },
    { text: after.length > LEAD ? `${cutAt(after, LEAD)}…` : after, marked: false },
  ]
  return made.filter((piece) => piece.text)
}

// Never through the middle of a pair of surrogates.
function cutAt(text: string, most: number): string {
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

export { holds }
