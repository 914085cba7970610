import { parseHTML } from 'linkedom'

/** The subset of a DOM node that the readers use. */
export interface HtmlNode {
  readonly nodeType: number
  /** Node name, in upper case for elements. */
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: Iterable<HtmlNode>
}

export interface HtmlElement extends HtmlNode {
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  querySelector(selector: string): HtmlElement | null
  querySelectorAll(selector: string): Iterable<HtmlElement>
  closest(selector: string): HtmlElement | null
  remove(): void
}

/** A parsed page. */
export interface HtmlPage {
  readonly documentElement: HtmlElement
}

const ELEMENT_NODE = 1
export const TEXT_NODE = 3

/** Elements that can have no end tag. They do not count towards the depth. */
const VOID_ELEMENTS =
  /^(p|li|t[drh]|d[dt]|option|optgroup|thead|tbody|tfoot|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

/** Deeper pages could block the parser for minutes. Real pages are much less deep. */
const MAX_DEPTH = 1_000

/**
 * Parses a page or a part of a page without running scripts or fetching resources. If the page is nested too deeply, only its
 * text is kept.
 */
export function parseHtml(page: string): HtmlPage {
  const text = isTooDeep(page) ? stripTags(page) : page
  const isPage = /<html[\s>]/i.test(text)
  const html = isPage ? text : `<!doctype html><html><head></head><body>${text}</body></html>`
  return parseHTML(html).document as unknown as HtmlPage
}

/** Whether a node is an element. */
export function isElement(node: HtmlNode): node is HtmlElement {
  return node.nodeType === ELEMENT_NODE
}

function isTooDeep(page: string): boolean {
  let depth = 0
  for (const [tag, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])[^<>]*>/gi)) {
    if (VOID_ELEMENTS.test(name) || tag.endsWith('/>')) continue
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

function stripTags(page: string): string {
  return page.replace(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ').replace(/<\/?[a-z!][^<>]*>/gi, ' ')
}
