import { MOST_LINKS } from '../document-limits.ts'
import type { HtmlElement } from './html-node.ts'

/** Absolute addresses that a page asks its readers to follow, without fragments, each once, in the order of the page. */
export function htmlLinks(root: HtmlElement, url: string | null): string[] {
  if (url === null || /nofollow/i.test(root.querySelector('meta[name=robots]')?.getAttribute('content') ?? ''))
    return []
  const base = URL.parse(root.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
  const links = new Set<string>()
  for (const anchor of root.querySelectorAll('a[href]')) {
    const target = URL.parse(anchor.getAttribute('href') ?? '', base)
    const isFollowed =
      target !== null && /^https?:$/.test(target.protocol) && !/nofollow/i.test(anchor.getAttribute('rel') ?? '')
    if (!isFollowed || target.username !== '' || target.password !== '') continue
    target.hash = ''
    links.add(target.href)
    if (links.size >= MOST_LINKS) break
  }
  return [...links]
}
