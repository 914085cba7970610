import type { Clock } from '@parley/engine/ports'

/** What became of a wish to ask a site for something. */
export type Entry =
  /** May ask now; `leave` once it has. */
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** The site would have to be waited for too long. */
  | { readonly kind: 'too-long' }
  | { readonly kind: 'cancelled' }

/** Keeps a site from being asked too much or too often by this process. */
export interface PoliteGate {
  /** Waits its turn, in order of arrival, for at most a minute. The next one starts `pauseMs` later at the earliest. */
  enter(origin: string, pauseMs: number, signal: AbortSignal): Promise<Entry>
  /** The site asked to be left alone until then. */
  pauseUntil(origin: string, untilMs: number): void
}

const MAX_AT_ONCE = 2
const MAX_WAIT_MS = 60_000
/** Sites remembered that nobody asks at the moment. */
const MAX_IDLE_SITES = 1000

interface WaitingRequest {
  readonly pauseMs: number
  readonly settle: (entry: Entry) => void
}

interface Site {
  readonly waiting: Set<WaitingRequest>
  activeCount: number
  nextStartMs: number
  cancelTimer: (() => void) | null
}

/** At most two requests to an origin at once, with a pause between their starts. */
export function createPoliteGate(clock: Clock): PoliteGate {
  const sites = new Map<string, Site>()

  function siteOf(origin: string): Site {
    const known = sites.get(origin)
    if (known !== undefined) return known
    if (sites.size >= MAX_IDLE_SITES) forgetIdle()
    const site: Site = { waiting: new Set(), activeCount: 0, nextStartMs: 0, cancelTimer: null }
    sites.set(origin, site)
    return site
  }

  function forgetIdle(): void {
    for (const [origin, { waiting, activeCount, nextStartMs }] of sites) {
      if (waiting.size === 0 && activeCount === 0 && nextStartMs <= clock.now()) sites.delete(origin)
    }
  }

  /** Lets in whoever may enter now, and looks again when the next one may. */
  function admit(site: Site): void {
    for (const next of site.waiting) {
      if (site.activeCount >= MAX_AT_ONCE) return
      const waitMs = site.nextStartMs - clock.now()
      if (waitMs > 0) {
        site.cancelTimer ??= clock.after(waitMs, () => {
          site.cancelTimer = null
          admit(site)
        })
        return
      }
      site.activeCount += 1
      site.nextStartMs = clock.now() + next.pauseMs
      next.settle({ kind: 'entered', leave: () => leave(site) })
    }
  }

  function leave(site: Site): void {
    site.activeCount -= 1
    admit(site)
  }

  return {
    async enter(origin, pauseMs, signal) {
      if (signal.aborted) return { kind: 'cancelled' }
      const site = siteOf(origin)
      if (site.nextStartMs - clock.now() > MAX_WAIT_MS) return { kind: 'too-long' }
      return await new Promise<Entry>((resolve) => {
        const waiting: WaitingRequest = {
          pauseMs,
          settle: (entry) => {
            site.waiting.delete(waiting)
            cancelDeadline()
            signal.removeEventListener('abort', onAbort)
            resolve(entry)
          },
        }
        const onAbort = (): void => waiting.settle({ kind: 'cancelled' })
        const cancelDeadline = clock.after(MAX_WAIT_MS, () => waiting.settle({ kind: 'too-long' }))
        signal.addEventListener('abort', onAbort, { once: true })
        site.waiting.add(waiting)
        admit(site)
      })
    },

    pauseUntil(origin, untilMs) {
      const site = siteOf(origin)
      site.nextStartMs = Math.max(site.nextStartMs, untilMs)
    },
  }
}
