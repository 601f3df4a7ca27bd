import { render, screen } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'

import Markdown from './Markdown.svelte'
import { markdown } from './markdown'

function drawn(text: string): HTMLElement {
  return render(Markdown, { text }).container
}

describe('Markdown', () => {
  it('draws headings, lists, code, quotes and tables', () => {
    const place = drawn(
      '# Why\n\nBecause **it** is _fast_ and `small`.\n\n- one\n  - inner\n- [x] done\n\n3. three\n\n```py\nx = 1\n```\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    )
    expect(place.querySelector('h3')?.textContent).toBe('Why')
    expect(place.querySelector('strong')?.textContent).toBe('it')
    expect(place.querySelector('em')?.textContent).toBe('fast')
    expect(place.querySelector('li li')?.textContent?.trim()).toBe('inner')
    expect(place.querySelector('ol')?.getAttribute('start')).toBe('3')
    expect(place.querySelector('pre')?.textContent).toBe('x = 1')
    expect(place.querySelector('blockquote')?.textContent).toBe('said')
    expect([...place.querySelectorAll('td')].map((cell) => cell.textContent)).toEqual(['1', '2'])
  })

  it('draws HTML as text', () => {
    const hostile = '<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n<iframe src="javascript:alert(1)"></iframe>'
    const place = drawn(hostile)
    expect(place.querySelector('script, img, iframe')).toBeNull()
    expect(place.textContent).toContain('<img src=x onerror=alert(1)>')
  })

  it('makes links of web addresses only, and never fetches a picture', () => {
    const place = drawn('[a](https://example.org/x) [b](javascript:alert(1)) [c](data:text/html,x) ![p](https://example.org/p.png) [d](file:///etc/passwd)')
    const links = [...place.querySelectorAll('a')]
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://example.org/x', 'https://example.org/p.png'])
    expect(links.every((link) => link.rel.includes('noopener') && link.rel.includes('noreferrer'))).toBe(true)
    expect(place.querySelector('img')).toBeNull()
    expect(place.textContent).toContain('[b](javascript:alert(1))')
  })

  it('leaves names with underscores and lone marks alone', () => {
    expect(drawn('call get_user_id and 2 * 3 * 4, **open').textContent?.trim()).toBe('call get_user_id and 2 * 3 * 4, **open')
    expect(document.querySelector('em, strong')).toBeNull()
  })

  it('keeps a brief text on the line', () => {
    render(Markdown, { text: 'Run `holdfast doctor`.', brief: true })
    expect(screen.getByText('holdfast doctor').tagName).toBe('CODE')
    expect(document.querySelector('p')).toBeNull()
  })

  it('ends on text made to be slow or deep', () => {
    const many = 200_000
    const hostile = ['['.repeat(many), '*a'.repeat(many), `${'`'.repeat(many)}x`, '[a]('.repeat(many), '_a '.repeat(many), '> '.repeat(5000), '- '.repeat(5000)]
    for (const text of hostile) expect(markdown(text)).toHaveLength(1)
  })
})
