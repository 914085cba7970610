import { Readability } from '@mozilla/readability'
import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import { listBlockTexts } from '../clean-document.ts'
import { MAX_LINKS } from '../document-limits.ts'
import { buildHtmlBlocks } from './html-blocks.ts'
import { type HtmlElement, type HtmlPage, parseHtml } from './html-node.ts'

/** Parts of a page that are not content, such as navigation. */
const CHROME_SELECTOR = [
  'nav',
  'script',
  'style',
  'noscript',
  'template',
  '[role=navigation]',
  '[role=search]',
  '[role=dialog]',
  '[role=alertdialog]',
  '[aria-modal=true]',
].join(', ')

/** Cookie banners are short, while pages about cookies are not. */
const COOKIE_BANNER_SELECTOR = '[id*=cookie], [class*=cookie], [id*=consent], [class*=consent]'
const MAX_BANNER_CHARACTERS = 1_500

/** An article with a smaller share of the page's text may miss relevant content. */
const MIN_KEPT_RATIO = 0.7

/** Larger pages are read without looking for the article. */
const MAX_ARTICLE_PAGE_CHARACTERS = 2_000_000
const MAX_ELEMENTS = 20_000

/** Reads a page: the article if it makes up most of the page, otherwise everything except the navigation. */
export function readHtml(text: string, url: string | null): ReadDocument {
  const page = parseHtml(text)
  const root = page.documentElement
  const links = collectLinks(root, url)
  const title = readPageTitle(root)
  removeChrome(root)
  const pageBlocks = buildHtmlBlocks(root)
  const blocks = chooseBlocks(pageBlocks, readArticle(text))
  return { title: title ?? findFirstHeading(pageBlocks), blocks, pageCount: null, links }
}

/** Reads a part of a page, such as the body of an email, without hidden elements. */
export function readHtmlPart(text: string): DocumentBlock[] {
  return buildHtmlBlocks(parseHtml(text).documentElement)
}

function removeChrome(root: HtmlElement): void {
  for (const element of [...root.querySelectorAll(CHROME_SELECTOR)]) element.remove()
  for (const element of [...root.querySelectorAll(COOKIE_BANNER_SELECTOR)]) {
    if (
      !/^(html|body|main|article)$/i.test(element.nodeName) &&
      (element.textContent ?? '').length < MAX_BANNER_CHARACTERS
    ) {
      element.remove()
    }
  }
  for (const header of [...root.querySelectorAll('header')]) {
    if (header.closest('article, main, section') === null && header.querySelector('h1') === null) header.remove()
  }
}

function readArticle(text: string): DocumentBlock[] | null {
  if (text.length > MAX_ARTICLE_PAGE_CHARACTERS) return null
  const page: HtmlPage = parseHtml(text)
  removeChrome(page.documentElement)
  try {
    const reader = new Readability(page as never, { maxElemsToParse: MAX_ELEMENTS, keepClasses: false })
    const content = reader.parse()?.content
    return typeof content === 'string' ? readHtmlPart(content) : null
  } catch {
    // The library fails for large or unusual pages. The whole page is read instead.
    return null
  }
}

function chooseBlocks(pageBlocks: DocumentBlock[], article: DocumentBlock[] | null): DocumentBlock[] {
  if (article === null || countTextCharacters(article) < countTextCharacters(pageBlocks) * MIN_KEPT_RATIO)
    return pageBlocks
  if (
    countBlocks(article, 'table') < countBlocks(pageBlocks, 'table') ||
    countBlocks(article, 'heading') < countBlocks(pageBlocks, 'heading') / 2
  )
    return pageBlocks
  const [firstHeading] = pageBlocks.filter(({ kind }) => kind === 'heading')
  const hasFirstHeading =
    firstHeading === undefined ||
    article.some((block) => block.kind === 'heading' && block.level <= getHeadingLevel(firstHeading))
  return hasFirstHeading ? article : [firstHeading, ...article]
}

function getHeadingLevel(block: DocumentBlock): number {
  return block.kind === 'heading' ? block.level : 1
}

function countBlocks(blocks: readonly DocumentBlock[], kind: DocumentBlock['kind']): number {
  return blocks.filter((block) => block.kind === kind).length
}

function countTextCharacters(blocks: readonly DocumentBlock[]): number {
  return blocks.reduce((sum, block) => sum + listBlockTexts(block).reduce((length, text) => length + text.length, 0), 0)
}

/** Returns the title without the name of the site, which appears on every page. */
function readPageTitle(root: HtmlElement): string | null {
  const title = (root.querySelector('title')?.textContent ?? '').trim()
  const site = root.querySelector('meta[property="og:site_name"]')?.getAttribute('content')?.trim() ?? ''
  if (title === '') return root.querySelector('meta[property="og:title"]')?.getAttribute('content') ?? null
  if (site === '' || !title.endsWith(site)) return title
  const titleWithoutSite = title.slice(0, -site.length).replace(/(?<![\s|–—:·-])[\s|–—:·-]+$/, '')
  return titleWithoutSite === '' ? title : titleWithoutSite
}

function findFirstHeading(blocks: readonly DocumentBlock[]): string | null {
  const heading = blocks.find((block) => block.kind === 'heading')
  return heading?.kind === 'heading' ? heading.text : null
}

/** Returns the absolute URLs of links to follow, without fragments and duplicates, in page order. */
function collectLinks(root: HtmlElement, url: string | null): string[] {
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
    if (links.size >= MAX_LINKS) break
  }
  return [...links]
}
