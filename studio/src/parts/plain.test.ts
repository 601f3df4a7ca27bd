import { describe, expect, it } from 'vitest'

import { oneLine, plain } from './plain'

describe('plain', () => {
  it('gives a word without end places to break', () => {
    expect(plain('A'.repeat(2500))).toBe(`${'A'.repeat(1000)} ${'A'.repeat(1000)} ${'A'.repeat(500)}`)
    expect(plain('A'.repeat(1000))).toBe('A'.repeat(1000))
  })

  it('takes out colours, titles and cursor moves, and keeps the words', () => {
    expect(plain('\x1b[31mred\x1b[0m \x1b]0;owned\x07title \x1b[2J\x1b[1;1Hhome')).toBe('red title home')
  })

  it('takes out a link that an escape sequence hides', () => {
    expect(plain('\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\ here')).toBe('click here')
  })

  it('takes out eight-bit controls too', () => {
    expect(plain('a\x9b31mb\x90payload\x9cc\x85d')).toBe('abcd')
  })

  it('ends an unfinished sequence without eating what follows an escape', () => {
    expect(plain('a\x1b]0;never closed\x1b[1mb')).toBe('ab')
    expect(plain('tail\x1b')).toBe('tail')
  })

  it('keeps lines and tabs, with one kind of line end', () => {
    expect(plain('a\r\nb\rc\td\0\x08')).toBe('a\nb\nc\td')
  })

  it('shows what reorders or hides text', () => {
    expect(plain('user\u202enimda\u2066')).toBe('user⟦U+202E⟧nimda⟦U+2066⟧')
    expect(plain('a\u200bb\u{e0041}')).toBe('a⟦U+200B⟧b⟦U+E0041⟧')
  })

  it('shows selectors, fillers and joiners where nothing needs them', () => {
    expect(plain('a\ufe01b\u3164c\u034fd\u200de\u200cf\ufe0fg\u{e0101}')).toBe(
      'a⟦U+FE01⟧b⟦U+3164⟧c⟦U+034F⟧d⟦U+200D⟧e⟦U+200C⟧f⟦U+FE0F⟧g⟦U+E0101⟧',
    )
  })

  it('leaves other scripts and emoji alone', () => {
    expect(plain('שלום 你好 👩‍💻')).toBe('שלום 你好 👩‍💻')
    expect(plain('می‌خواهم ❤️ 1️⃣ ⚠️')).toBe('می‌خواهم ❤️ 1️⃣ ⚠️')
  })

  it('ends on text made to be slow', () => {
    expect(plain('\x1b]'.repeat(1_000_000) + '\x1b['.repeat(1_000_000))).toBe('')
  })
})

describe('oneLine', () => {
  it('puts a text on one line and cuts it', () => {
    expect(oneLine('  a\n\n b\t c ')).toBe('a b c')
    expect(oneLine('x'.repeat(20), 10)).toBe(`${'x'.repeat(9)}…`)
  })
})
