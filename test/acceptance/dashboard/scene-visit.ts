import type { Page, Request } from 'playwright-core'

const LOOK_EVERY_MS = 20
/** A page counts as loaded after this many quiet polls, longer than the pause before a skeleton shows. */
const QUIET_LOOKS = 8
const LOADED_WITHIN_MS = 20_000

/** Detects when a page has finished loading. */
export interface LoadWatch {
  /** Returns null once requests are done, no skeleton shows and there is a heading, or what is missing at timeout. */
  settled(): Promise<string | null>
}

/** Whether a request stays open while the page is open. */
function isStream(request: Request): boolean {
  return request.headers()['accept'] === 'text/event-stream'
}

export function watchLoading(page: Page): LoadWatch {
  const underWay = new Set<Request>()
  page.on('request', (request) => {
    if (!isStream(request)) underWay.add(request)
  })
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame())
      for (const request of underWay) if (request.isNavigationRequest()) underWay.delete(request)
  })
  return {
    async settled() {
      const deadline = performance.now() + LOADED_WITHIN_MS
      let quiet = 0
      let missing = ''
      while (performance.now() < deadline) {
        missing = underWay.size > 0 ? [...underWay].map((request) => request.url()).join(', ') : await missingIn(page)
        quiet = missing === '' ? quiet + 1 : 0
        if (quiet >= QUIET_LOOKS) return null
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      }
      return missing
    },
  }
}

const LOOK = `(() => {
  const waiting = [...document.querySelectorAll('[role=status]')].some((status) => /^Loading/.test(status.textContent.trim()))
  if (waiting) return 'a skeleton is shown'
  return document.querySelector('h1') === null ? 'no heading' : ''
})()`

/** Returns what the page lacks, or an empty string. Pages cannot be queried during navigation. */
function missingIn(page: Page): Promise<string> {
  return page.evaluate<string>(LOOK).catch(() => 'the page is on its way')
}
