/** Which methods each path of the API answers: asked only when no route matched, so that a wrong method gets its 405. */
export class RouteMethods {
  /** Templates by their number of segments; a segment in braces stands for any. */
  readonly #templates = new Map<
    number,
    Map<string, { readonly segments: readonly string[]; readonly methods: Set<string> }>
  >()

  /** Notes a route, its path as the contract writes it. */
  add(path: string, method: string): void {
    const segments = split(path)
    const templates = this.#templates.get(segments.length) ?? new Map()
    this.#templates.set(segments.length, templates)
    const known = templates.get(path) ?? { segments, methods: new Set() }
    templates.set(path, known)
    known.methods.add(method)
    if (method === 'GET') known.methods.add('HEAD')
  }

  /** The methods that a path answers, as `Allow` lists them; `null` when it is none of the API's. */
  allowedAt(path: string): string | null {
    const given = split(path)
    for (const { segments, methods } of this.#templates.get(given.length)?.values() ?? []) {
      if (segments.every((segment, index) => segment.startsWith('{') || segment === given[index])) {
        return [...methods].join(', ')
      }
    }
    return null
  }
}

/** A slash at the end does not count. */
function split(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}
