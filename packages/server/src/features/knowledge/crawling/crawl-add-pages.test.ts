import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildUrlIdentity, normalizeUrl } from '../sources/read-sources.ts'
import { selectPageLinks } from './crawl-add-pages.ts'
import { isWithinSite, toPageUrl } from './crawl-scope.ts'

describe('normalizes a URL', () => {
  test.each([
    ['HTTPS://Shop.Example', 'https://shop.example/'],
    ['https://shop.example:443/a#part', 'https://shop.example/a'],
    ['http://shop.example:80/a?', 'http://shop.example/a'],
    ['https://shop.example/a?q=1#x', 'https://shop.example/a?q=1'],
    ['https://shop.example/A/', 'https://shop.example/A/'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ])('%s', (url, expected) => {
    expect(normalizeUrl(url)).toBe(expected)
    expect(normalizeUrl(expected)).toBe(expected)
  })
})

describe('resolves a link', () => {
  test.each([
    ['https://a.example/x?utm_source=m&id=3&gclid=4', 'https://a.example/x?id=3'],
    ['https://a.example/price-list.pdf', 'https://a.example/price-list.pdf'],
    ['https://a.example/v1.2', 'https://a.example/v1.2'],
    ['https://a.example/x.CSS?v=2', null],
    ['https://me:secret@a.example/', null],
    ['javascript:alert(1)', null],
    ['ftp://a.example/x', null],
    ['no address', null],
    [`https://a.example/${'x'.repeat(3_000)}`, null],
  ])('%s', (link, expected) => expect(toPageUrl(link)).toBe(expected))
})

describe('decides what belongs to a site', () => {
  const site = (path: string, exclude: readonly string[] = []) => ({ path, exclude })
  test.each([
    [site('https://a.example'), 'https://a.example/any/thing', true],
    [site('http://a.example'), 'https://www.a.example/any', true],
    [site('https://a.example/help/'), 'https://a.example/help', true],
    [site('https://a.example/help'), 'https://a.example/helpless', false],
    [site('https://a.example/help/index.html'), 'https://a.example/help/a', true],
    [site('https://a.example'), 'https://b.example/', false],
    [site('https://a.example'), 'https://a.example:8443/', false],
    [site('https://a.example'), 'https://sub.a.example/', false],
    [site('https://a.example/sitemap.xml'), 'https://a.example/x', true],
    [site('https://a.example', ['/blog']), 'https://a.example/blog/1', false],
    [site('https://a.example', ['blog/']), 'https://a.example/blog', true],
    [site('https://a.example', ['https://a.example/x?y=']), 'https://a.example/x?y=1', false],
    [site('https://a.example', ['https://b.example/x']), 'https://a.example/x', true],
  ])('%o: %s', (crawlSite, page, expected) => expect(isWithinSite(crawlSite, page)).toBe(expected))
})

test('selects each new page of the site once, up to the limit', () => {
  const link = fc.tuple(fc.constantFrom('a', 'www.a', 'b'), fc.constantFrom('/', '/x', '/x/1', '/y', '/z.png', '/x#2'))
  const toUrl = ([host, path]: [string, string]) => `https://${host}.example${path}`
  fc.assert(
    fc.property(fc.array(link), fc.array(link), fc.nat(5), (links, existing, remaining) => {
      const site = { path: 'https://a.example', exclude: ['/y'] }
      const known = new Set(existing.map((page) => buildUrlIdentity(toUrl(page))))
      const pages = selectPageLinks({ links: links.map(toUrl), site, knownIdentities: known, remaining })
      expect(pages.length).toBeLessThanOrEqual(remaining)
      expect(new Set(pages.map(buildUrlIdentity)).size).toBe(pages.length)
      for (const page of pages) {
        expect(known.has(buildUrlIdentity(page))).toBe(false)
        expect(new URL(page).hostname.endsWith('a.example')).toBe(true)
        expect(page).not.toMatch(/\/y|png|#/)
      }
    }),
  )
})
