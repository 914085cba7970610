import type { BrowserContext, Page } from 'playwright-core'

export type FaultKind = 'none' | 'slow' | 'unavailable' | 'forbidden' | 'offline'

export const REQUEST_ID = 'req_of_a_fault'
export const SENTENCE = 'The database is being moved.'

const DELAY_MS = 2_000
/** Requests that every page needs to open. Faults skip them. */
const SPARED = ['/api/auth/session', '/api/workspaces']
/** Requests of the shell, which works without their responses. */
const FRAME = ['/api/concurrency', '/api/branding']

const ANSWERS = {
  unavailable: { status: 503, error: SENTENCE, code: 'unavailable' },
  forbidden: { status: 403, error: 'Your role does not allow this.', code: 'forbidden' },
}

/**
 * Runs at the start of each page. Wraps `fetch` to inject faults, and records layout shifts and skeletons.
 * Interception outside the page would disable the browser cache.
 */
const MEDDLE = `
  globalThis.faults = { kind: sessionStorage.getItem('fault') ?? 'none', hit: [] }
  const ask = fetch
  globalThis.fetch = async (target, options) => {
    const { pathname } = new URL(target, location.href)
    const { kind } = faults
    if (kind === 'none' || !pathname.startsWith('/api/') || ${JSON.stringify(SPARED)}.includes(pathname)) return ask(target, options)
    if (!${JSON.stringify(FRAME)}.includes(pathname)) faults.hit.push(pathname)
    if (kind === 'offline') throw new TypeError('Failed to fetch')
    if (kind === 'slow') {
      await new Promise((resolve) => setTimeout(resolve, ${DELAY_MS}))
      return ask(target, options)
    }
    const { status, error, code } = ${JSON.stringify(ANSWERS)}[kind]
    const headers = { 'content-type': 'application/json', 'x-request-id': '${REQUEST_ID}' }
    return new Response(JSON.stringify({ error, code, details: [] }), { status, headers })
  }

  globalThis.jumps = { score: 0, sources: [], sawSkeleton: false }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      jumps.score += entry.value
      for (const { node } of entry.sources) {
        const element = node?.nodeType === 1 ? node : node?.parentElement
        if (element) jumps.sources.push(element.tagName.toLowerCase() + ' "' + element.textContent.trim().slice(0, 30) + '"')
      }
    }
  }).observe({ type: 'layout-shift', buffered: true })
  new MutationObserver(() => {
    const isLoading = (status) => /^Loading/.test(status.textContent.trim())
    if ([...document.querySelectorAll('[role=status]')].some(isLoading)) jumps.sawSkeleton = true
  }).observe(document, { childList: true, subtree: true })
`

/** Enables faults in all pages that the context opens from now on. */
export async function letFaultsIn(context: BrowserContext): Promise<void> {
  await context.addInitScript(MEDDLE)
}

/** Opens a URL with a fault from the start. */
export async function openFailing(page: Page, address: string, kind: FaultKind): Promise<void> {
  await page.evaluate(`sessionStorage.setItem('fault', '${kind}')`)
  await page.goto(address)
}

/** Ends the faults of this page. */
export async function endFault(page: Page): Promise<void> {
  await page.evaluate(`faults.kind = 'none'`)
}

/** Returns the paths of requests that faults affected. */
export function readHits(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>('faults.hit')
}

export interface Jumps {
  /** Cumulative layout shift. */
  readonly score: number
  readonly sources: readonly string[]
  readonly sawSkeleton: boolean
}

export function readJumps(page: Page): Promise<Jumps> {
  return page.evaluate<Jumps>('jumps')
}
