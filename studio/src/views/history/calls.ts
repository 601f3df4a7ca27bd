import { oneLine, plain } from '../../parts/plain'

/** A tool's call in words. */
const TELLING = ['command', 'file_path', 'filePath', 'path', 'notebook_path', 'pattern', 'query', 'url', 'description', 'prompt', 'input']

/** What a call was about, in one line: its command, file or question. */
export function aboutCall(input: Record<string, unknown>, most = 240): string {
  for (const name of TELLING) {
    const value = input[name]
    if (typeof value === 'string' && value.trim()) return oneLine(value.slice(0, 4 * most), most)
  }
  return Object.keys(input).length ? oneLine(JSON.stringify(input).slice(0, 4 * most), most) : ''
}

/** The call's input to read: strings as they are, everything else as JSON. */
export function inputOf(input: Record<string, unknown>): { name: string; text: string }[] {
  return Object.entries(input).map(([name, value]) => ({
    name: oneLine(name, 80),
    text: plain(typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
  }))
}

/** A text cut to what is bearable to draw, and how much is left. */
export function cut(text: string, most: number): { text: string; left: number } {
  if (text.length <= most) return { text, left: 0 }
  // Never through the middle of a pair of surrogates.
  const code = text.charCodeAt(most - 1)
  const at = code >= 0xd800 && code <= 0xdbff ? most - 1 : most
  return { text: text.slice(0, at), left: text.length - at }
}
