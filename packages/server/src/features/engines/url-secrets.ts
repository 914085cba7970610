/** Parts of an address that may carry keys: user, password and values of the query. Works on text, since templates may be in it. */

/** Which part of an address a value is, such as `query/key/0`. */
export type UrlSlot = string

interface Span {
  readonly slot: UrlSlot
  readonly start: number
  readonly end: number
}

/** The address with each of these parts replaced; empty parts stay. */
export function mapUrlValues(url: string, change: (value: string, slot: UrlSlot) => string): string {
  let result = ''
  let at = 0
  for (const { slot, start, end } of findSpans(hideTemplates(url))) {
    if (start === end) continue
    result += url.slice(at, start) + change(url.slice(start, end), slot)
    at = end
  }
  return result + url.slice(at)
}

/** Templates become letters of the same length, so that no sign within them divides the address. */
function hideTemplates(url: string): string {
  return url.replaceAll(/\{\{[^{}\n]*(?:\{\{[^{}\n]*\}\}[^{}\n]*)?\}\}/g, (template) => 'x'.repeat(template.length))
}

function findSpans(url: string): Span[] {
  const fragment = url.indexOf('#')
  const end = fragment === -1 ? url.length : fragment
  const question = url.slice(0, end).indexOf('?')
  return [
    ...userSpans(url, question === -1 ? end : question),
    ...(question === -1 ? [] : querySpans(url, question + 1, end)),
  ]
}

function userSpans(url: string, end: number): Span[] {
  const scheme = /^[a-z]+:\/\//i.exec(url)
  if (scheme === null) return []
  const start = scheme[0].length
  const slash = url.slice(start, end).search(/[/\\]/)
  const at = url.slice(start, slash === -1 ? end : start + slash).lastIndexOf('@')
  if (at === -1) return []
  const colon = url.slice(start, start + at).indexOf(':')
  if (colon === -1) return [{ slot: 'user', start, end: start + at }]
  return [
    { slot: 'user', start, end: start + colon },
    { slot: 'password', start: start + colon + 1, end: start + at },
  ]
}

/** A part without "=" counts as a value without a name. */
function querySpans(url: string, queryStart: number, end: number): Span[] {
  const spans: Span[] = []
  const seen = new Map<string, number>()
  let start = queryStart
  while (start < end) {
    const ampersand = url.indexOf('&', start)
    const partEnd = ampersand === -1 || ampersand > end ? end : ampersand
    const equals = url.slice(start, partEnd).indexOf('=')
    const name = equals === -1 ? '' : url.slice(start, start + equals)
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    spans.push({ slot: `query/${name}/${count}`, start: equals === -1 ? start : start + equals + 1, end: partEnd })
    start = partEnd + 1
  }
  return spans
}
