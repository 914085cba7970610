import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRobots } from './robots-rules.ts'
import { openWebPagesScene } from './web-pages-test-kit.ts'

const buildUrlset = (...locations: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations
    .map((location) => `<url><loc>${location}</loc><lastmod>2026-01-01</lastmod></url>`)
    .join('\n')}</urlset>`
const buildIndex = (...locations: readonly string[]): string =>
  `<sitemapindex>${locations.map((location) => `<sitemap><loc>${location}</loc></sitemap>`).join('')}</sitemapindex>`

async function openSite() {
  const scene = await openWebPagesScene()
  const getUrl = (path: string): string => `${scene.site.url}${path}`
  return Object.assign(scene, {
    at: getUrl,
    putXml: (path: string, xml: string) => scene.site.putText(path, xml, 'text/xml'),
  })
}

describe('a sitemap', () => {
  test('returns the pages of its own host in order and without duplicates', async () => {
    await using site = await openSite()
    const { at } = site
    const locations = [
      at('/b'),
      at('/a#part'),
      'https://elsewhere.example/x',
      at('/b'),
      'ftp://127.0.0.1/y',
      '/c?x=1&amp;y=2',
    ]
    site.putXml('/sitemap.xml', buildUrlset(...locations))
    expect(await site.readSitemap('/sitemap.xml')).toEqual({ ok: true, urls: [at('/b'), at('/a'), at('/c?x=1&y=2')] })
    expect(await site.readSitemap('/sitemap.xml', 2)).toEqual({ ok: true, urls: [at('/b'), at('/a')] })
  })

  test('can be compressed and contain prefixes, comments, CDATA sections and images', async () => {
    await using site = await openSite()
    const { at } = site
    const body = gzipSync(buildUrlset(at('/packed')))
    site.site.put('/sitemap.xml.gz', { kind: 'raw', body, contentType: 'application/gzip' })
    expect(await site.readSitemap('/sitemap.xml.gz')).toEqual({ ok: true, urls: [at('/packed')] })
    site.putXml(
      '/odd.xml',
      `\ufeff<!-- <urlset><loc>${at('/no')}</loc> --><s:urlset xmlns:s="x"><s:url><s:loc>\n <![CDATA[${at('/a?b&c')}]]> </s:loc>` +
        `<image:loc>${at('/image.png')}</image:loc></s:url><!-- <s:loc>${at('/no')}</s:loc> -->` +
        `<s:url><s:loc>${at('/&#x64;&#101;')}</s:loc></s:url></s:urlset>`,
    )
    expect(await site.readSitemap('/odd.xml')).toEqual({ ok: true, urls: [at('/a?b&c'), at('/de')] })
  })

  test('can be a list of URLs or a robots.txt that lists sitemaps', async () => {
    await using site = await openSite()
    const { at } = site
    site.site.putText('/sitemap.txt', `${at('/a')}\r\nnonsense\r\n${at('/b')}\r\n`)
    expect(await site.readSitemap('/sitemap.txt')).toEqual({ ok: true, urls: [at('/a'), at('/b')] })
    site.site.putText('/robots.txt', `User-agent: *\nSitemap: ${at('/sitemap.txt')}`)
    expect(await site.readSitemap('/robots.txt')).toEqual({ ok: true, urls: [at('/a'), at('/b')] })
  })

  test('follows nested sitemaps two levels deep and ignores cycles', async () => {
    await using site = await openSite()
    const { at } = site
    site.putXml(
      '/0.xml',
      buildIndex(at('/1.xml'), at('/missing.xml'), at('/0.xml'), 'http://elsewhere.example/s.xml', at('/p.xml')),
    )
    site.putXml('/1.xml', buildIndex(at('/2.xml')))
    site.putXml('/2.xml', buildIndex(at('/3.xml')))
    site.putXml('/3.xml', buildUrlset(at('/too-deep')))
    site.putXml('/p.xml', buildUrlset(at('/page')))
    expect(await site.readSitemap('/0.xml')).toEqual({ ok: true, urls: [at('/page')] })
    expect(site.site.paths).toEqual(['/0.xml', '/1.xml', '/2.xml', '/missing.xml', '/p.xml'])
  })

  test('reads at most fifty sitemaps', async () => {
    await using site = await openSite()
    const { at } = site
    const names = Array.from({ length: 80 }, (_, number) => `/${number}.xml`)
    site.putXml('/index.xml', buildIndex(...names.map(at)))
    for (const name of names) site.putXml(name, buildUrlset(at(`${name}/page`)))
    const sitemap = await site.readSitemap('/index.xml')
    expect(sitemap.ok && sitemap.urls).toHaveLength(49)
  })

  test('follows redirects and accepts pages of both hosts', async () => {
    await using site = await openSite()
    const { port } = site.site
    const redirectOrigin = `http://name.test:${port}`
    site.site.put('/sitemap.xml', { kind: 'redirect', to: `${redirectOrigin}/real.xml` })
    site.putXml('/real.xml', buildUrlset(site.at('/a'), `${redirectOrigin}/b`, `http://other.test:${port}/c`))
    expect(await site.readSitemap('/sitemap.xml')).toEqual({ ok: true, urls: [site.at('/a'), `${redirectOrigin}/b`] })
  })

  test.each([
    ['an HTML page', '<!doctype html><html><loc>/a</loc></html>'],
    ['an empty body', ''],
    ['plain text', 'hello'],
    ['JSON', '{}'],
    ['XML of another type', '<rss><loc>/a</loc></rss>'],
    ['an unclosed comment', `<!--${'<'.repeat(1000)}`],
  ])('rejects %s', async (_name, text) => {
    await using site = await openSite()
    site.putXml('/sitemap.xml', text)
    expect(await site.readSitemap('/sitemap.xml')).toMatchObject({ ok: false, retryable: false })
  })

  test('does not expand nested entities', async () => {
    await using site = await openSite()
    const entities = Array.from({ length: 9 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`)
    const type = `<!DOCTYPE urlset [<!ENTITY e0 "lol"><!ENTITY x SYSTEM "file:///etc/passwd">${entities.join('')}]>`
    site.putXml('/sitemap.xml', `<?xml version="1.0"?>${type}${buildUrlset('/&e9;', '/&x;', '/fine').slice(38)}`)
    const sitemap = await site.readSitemap('/sitemap.xml')
    expect(sitemap).toEqual({ ok: true, urls: [site.at('/&e9;'), site.at('/&x;'), site.at('/fine')] })
  })

  test.each([
    ['is too large when decompressed', gzipSync(Buffer.alloc(60 * 1024 * 1024))],
    ['is damaged', Buffer.from([0x1f, 0x8b, 1, 2, 3])],
  ])('rejects a compressed sitemap that %s', async (_name, body) => {
    await using site = await openSite()
    site.site.put('/sitemap.xml.gz', { kind: 'raw', body, contentType: 'application/gzip' })
    expect(await site.readSitemap('/sitemap.xml.gz')).toMatchObject({ ok: false, message: /50 MiB/ })
  })

  test.each([
    ['is missing', { kind: 'html', status: 404 }, false],
    ['is on a failing site', { kind: 'html', status: 502 }, true],
    ['is cut off', { kind: 'cut' }, true],
  ] as const)('fails for a sitemap that %s', async (_name, reply, retryable) => {
    await using site = await openSite()
    site.site.put('/sitemap.xml', reply)
    expect(await site.readSitemap('/sitemap.xml')).toMatchObject({ ok: false, retryable })
  })

  test('does not read a sitemap that robots.txt disallows', async () => {
    await using site = await openSite()
    site.site.putText('/robots.txt', 'User-agent: *\nDisallow: /')
    expect(await site.readSitemap('/sitemap.xml')).toMatchObject({ ok: false, message: /robots\.txt/ })
  })

  test.each([['<loc>'], ['<!'], ['<![CDATA['], ['<!--'], ['<loc><![CDATA[']])(
    'reads many repetitions of %s in one pass',
    async (token) => {
      await using site = await openSite()
      site.putXml('/sitemap.xml', `<urlset>${token.repeat(1_000_000)}`)
      expect(await site.readSitemap('/sitemap.xml')).toMatchObject({ ok: true })
    },
  )
})

const isAllowed = (text: string, path: string): boolean => parseRobots(text, 'ParleyBot').isPathAllowed(path)

describe('parseRobots', () => {
  test.each([
    ['', '/a', true],
    ['User-agent: *\nDisallow: /', '/a', false],
    ['User-agent: *\nDisallow:', '/a', true],
    ['User-agent: *\nDisallow: /a', '/ab', false],
    ['User-agent: *\nDisallow: /a$', '/ab', true],
    ['User-agent: *\nDisallow: /a$', '/a', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?z', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/x.pdf/y.pdf', false],
    ['User-agent: *\nDisallow: /a*b*c', '/a1b2', true],
    ['User-agent: *\nDisallow: /a*b*c', '/a1b2c3', false],
    ['User-agent: *\nDisallow: *?session=', '/a?session=1', false],
    // The longest rule decides. Among equally long rules, an allowing rule wins.
    ['User-agent: *\nDisallow: /a\nAllow: /a/open', '/a/open/x', true],
    ['User-agent: *\nAllow: /a\nDisallow: /a/closed', '/a/closed', false],
    ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['User-agent: *\nAllow: /a\nDisallow: /a', '/a', true],
    // A specific group replaces the default group, regardless of order and case.
    ['User-agent: parleybot\nAllow: /\nUser-agent: *\nDisallow: /', '/a', true],
    ['User-agent: *\nAllow: /\n\nUser-agent: PARLEYBOT/2.0\nDisallow: /', '/a', false],
    ['User-agent: other\nUser-agent: parleybot\nDisallow: /a', '/a', false],
    ['User-agent: other\nDisallow: /', '/a', true],
    [
      'User-agent: parleybot\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: parleybot\nDisallow: /b',
      '/b',
      false,
    ],
    ['User-agent: parleybot\nCrawl-delay: 1', '/a', true],
    // Comments, spaces, line endings, invalid lines and rules without a group.
    ['\ufeffUser-agent: *  # all\r\n  disallow :  /a  # this\r\nnonsense\r\n', '/a', false],
    ['Disallow: /\nUser-agent: *\nDisallow: /b', '/a', true],
    ['<html><body>Not found</body></html>', '/a', true],
    // Escapes.
    ['User-agent: *\nDisallow: /stra\u00dfe', '/stra%c3%9fe', false],
    ['User-agent: *\nDisallow: /%7ejoe', '/%7Ejoe', false],
  ])('%j: %s', (text, path, expected) => {
    expect(isAllowed(text, path)).toBe(expected)
  })

  test('parses the crawl delay and sitemaps', () => {
    const text = 'Sitemap: https://a.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: /other.xml'
    const rules = parseRobots(text, 'ParleyBot')
    expect(rules.crawlDelayMs).toBe(2500)
    expect(rules.sitemaps).toEqual(['https://a.example/s.xml', '/other.xml'])
    for (const delay of ['-1', 'soon', '']) {
      expect(parseRobots(`User-agent: *\nCrawl-delay: ${delay}`, 'ParleyBot').crawlDelayMs).toBeNull()
    }
  })

  test('matches paths like a regular expression', () => {
    const patternText = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 })
    const property = fc.property(
      patternText,
      fc.boolean(),
      fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 }),
      (pattern, isWhole, path) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}${isWhole ? '$' : ''}`)
        const rule = `/${pattern}${isWhole ? '$' : ''}`
        expect(isAllowed(`User-agent: *\nDisallow: ${rule}`, `/${path}`)).toBe(!expression.test(path))
      },
    )
    fc.assert(property, { numRuns: 2000 })
  })

  test('matches hostile rules quickly', () => {
    const rules = parseRobots(`User-agent: *\n${`Disallow: /${'*a'.repeat(30)}*b\n`.repeat(7000)}`, 'ParleyBot')
    expect(rules.isPathAllowed(`/${'a'.repeat(2000)}`)).toBe(true)
  })
})
