/*
 * Captured text is hostile. Svelte escapes HTML; this takes out what would still act on a reader: escape sequences
 * and control characters go, and characters that reorder or hide text are shown as marks.
 */

// Escape sequences: OSC, DCS, APC, PM, SOS up to their end, then CSI, then two-character ones.
const STRINGS = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?/g
const CSI = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?/g
const SHORT = /\x1b[ -/]*[0-~]?/g
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g
// Bidi controls, invisible operators, fillers, selectors and spaces that hide words, and the tag characters. What a
// script or an emoji needs stays: see src/holdfast/core/unseen_text.py, which tells the same to agents and terminals.
const JOINING = '\\u0600-\\u085f\\u08a0-\\u0dff\\u0f00-\\u109f\\u1780-\\u18af\\ufb50-\\ufdff\\ufe70-\\ufefc'
const PICTURE = '\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2190-\\u21ff\\u2300-\\u23ff\\u24c2\\u25a0-\\u27bf\\u2900-\\u297f\\u2b00-\\u2bff\\u3030\\u303d\\u3297-\\u3299\\u{1f000}-\\u{1faff}'
const HIDDEN = new RegExp(
  '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800' +
    '\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]' +
    `|(?<![${PICTURE}])[\\ufe0e\\ufe0f](?!\\u20e3)|(?<![${JOINING}])\\u200c|\\u200c(?![${JOINING}])` +
    `|(?<![${JOINING}${PICTURE}\\ufe0f])\\u200d|\\u200d(?![${JOINING}${PICTURE}])`,
  'gu',
)
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
