/*
 * Captured text is hostile. Svelte escapes HTML; this takes out what would still act on a reader: escape sequences
 * and control characters go, and characters that reorder or hide text are shown as marks.
 */

// Escape sequences: OSC, DCS, APC, PM, SOS up to their end, then CSI, then two-character ones.
const STRINGS = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?/g
const CSI = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?/g
const SHORT = /\x1b[ -/]*[0-~]?/g
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g
// Bidi controls, invisible operators and spaces that hide words, and the tag characters.
const HIDDEN = /[\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu
// A browser takes the square of a word's length to break it into lines: 100,000 letters hold it up for half a minute.
const ENDLESS = /\S{1000}(?=\S)/g

export function plain(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(STRINGS, '')
    .replace(CSI, '')
    .replace(SHORT, '')
    .replace(CONTROLS, '')
    .replace(HIDDEN, mark)
    .replace(ENDLESS, '$& ')
}

/** The same on one line, for titles and rows. */
export function oneLine(text: string, most = 400): string {
  const line = plain(text).replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

function mark(character: string): string {
  return `⟦U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟧`
}
