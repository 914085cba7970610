import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRobots } from './robots-rules.ts'

const allows = (text: string, path: string): boolean => parseRobots(text, 'ParleyBot').allows(path)

describe('rules of a robots.txt', () => {
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
    // The longest rule decides, and of two as long the one that allows.
    ['User-agent: *\nDisallow: /a\nAllow: /a/open', '/a/open/x', true],
    ['User-agent: *\nAllow: /a\nDisallow: /a/closed', '/a/closed', false],
    ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['User-agent: *\nAllow: /a\nDisallow: /a', '/a', true],
    // Its own group counts alone, wherever it stands and however it is written.
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
    // Comments, spaces, line ends, lines that are none, rules without a group.
    ['\ufeffUser-agent: *  # all\r\n  disallow :  /a  # this\r\nnonsense\r\n', '/a', false],
    ['Disallow: /\nUser-agent: *\nDisallow: /b', '/a', true],
    ['<html><body>Not found</body></html>', '/a', true],
    // Escapes.
    ['User-agent: *\nDisallow: /stra\u00dfe', '/stra%c3%9fe', false],
    ['User-agent: *\nDisallow: /%7ejoe', '/%7Ejoe', false],
  ])('%j: %s', (text, path, expected) => {
    expect(allows(text, path)).toBe(expected)
  })

  test('tell of crawl delay and sitemaps', () => {
    const text = 'Sitemap: https://a.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: /other.xml'
    const rules = parseRobots(text, 'ParleyBot')
    expect(rules.crawlDelayMs).toBe(2500)
    expect(rules.sitemaps).toEqual(['https://a.example/s.xml', '/other.xml'])
    for (const delay of ['-1', 'soon', '']) {
      expect(parseRobots(`User-agent: *\nCrawl-delay: ${delay}`, 'ParleyBot').crawlDelayMs).toBeNull()
    }
  })

  test('match as a regular expression would', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 })
    const property = fc.property(
      word,
      fc.boolean(),
      fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 }),
      (pattern, isWhole, path) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}${isWhole ? '$' : ''}`)
        const rule = `/${pattern}${isWhole ? '$' : ''}`
        expect(allows(`User-agent: *\nDisallow: ${rule}`, `/${path}`)).toBe(!expression.test(path))
      },
    )
    fc.assert(property, { numRuns: 2000 })
  })

  test('cost little, however hostile they are', () => {
    const rules = parseRobots(`User-agent: *\n${`Disallow: /${'*a'.repeat(30)}*b\n`.repeat(7000)}`, 'ParleyBot')
    expect(rules.allows(`/${'a'.repeat(2000)}`)).toBe(true)
  })
})
