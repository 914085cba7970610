import type { Clock } from '@parley/engine/ports'

/** Outcome of waiting for a turn at a site. */
export type Entry =
  /** The request can start. Callers must call `leave` afterwards. */
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** The wait would be too long. */
  | { readonly kind: 'too-long' }
  | { readonly kind: 'cancelled' }

/** Limits the requests of this process to each site. */
export interface PoliteGate {
  /** Waits for its turn, in order of arrival, for at most a minute. The next request starts at least `pauseMs` later. */
  enter(origin: string, pauseMs: number, signal: AbortSignal): Promise<Entry>
  /** Pauses requests to the site until the given time. */
  pauseUntil(origin: string, untilMs: number): void
}

const MAX_CONCURRENT_REQUESTS = 2
const MAX_WAIT_MS = 60_000
/** Maximum number of remembered idle sites. */
const MAX_IDLE_SITES = 1000

interface WaitingRequest {
  readonly pauseMs: number
  readonly finish: (entry: Entry) => void
}

interface Site {
  readonly waiting: Set<WaitingRequest>
  activeCount: number
  nextStartMs: number
  cancelTimer: (() => void) | null
}

/** Creates a gate that allows at most two concurrent requests per origin, with a pause between their starts. */
export function createPoliteGate(clock: Clock): PoliteGate {
  const sites = new Map<string, Site>()

  function getSite(origin: string): Site {
    const existing = sites.get(origin)
    if (existing !== undefined) return existing
    if (sites.size >= MAX_IDLE_SITES) deleteIdleSites()
    const site: Site = { waiting: new Set(), activeCount: 0, nextStartMs: 0, cancelTimer: null }
    sites.set(origin, site)
    return site
  }

  function deleteIdleSites(): void {
    for (const [origin, { waiting, activeCount, nextStartMs }] of sites) {
      if (waiting.size === 0 && activeCount === 0 && nextStartMs <= clock.now()) sites.delete(origin)
    }
  }

  /** Admits requests that are allowed to start and schedules the next check. */
  function admitRequests(site: Site): void {
    for (const request of site.waiting) {
      if (site.activeCount >= MAX_CONCURRENT_REQUESTS) return
      const waitMs = site.nextStartMs - clock.now()
      if (waitMs > 0) {
        site.cancelTimer ??= clock.after(waitMs, () => {
          site.cancelTimer = null
          admitRequests(site)
        })
        return
      }
      site.activeCount += 1
      site.nextStartMs = clock.now() + request.pauseMs
      request.finish({ kind: 'entered', leave: () => leaveSite(site) })
    }
  }

  function leaveSite(site: Site): void {
    site.activeCount -= 1
    admitRequests(site)
  }

  return {
    async enter(origin, pauseMs, signal) {
      if (signal.aborted) return { kind: 'cancelled' }
      const site = getSite(origin)
      if (site.nextStartMs - clock.now() > MAX_WAIT_MS) return { kind: 'too-long' }
      return await new Promise<Entry>((resolve) => {
        const waitingRequest: WaitingRequest = {
          pauseMs,
          finish: (entry) => {
            site.waiting.delete(waitingRequest)
            cancelDeadline()
            signal.removeEventListener('abort', onAbort)
            resolve(entry)
          },
        }
        const onAbort = (): void => waitingRequest.finish({ kind: 'cancelled' })
        const cancelDeadline = clock.after(MAX_WAIT_MS, () => waitingRequest.finish({ kind: 'too-long' }))
        signal.addEventListener('abort', onAbort, { once: true })
        site.waiting.add(waitingRequest)
        admitRequests(site)
      })
    },

    pauseUntil(origin, untilMs) {
      const site = getSite(origin)
      site.nextStartMs = Math.max(site.nextStartMs, untilMs)
    },
  }
}

/** Keeps track of sites that do not respond. */
export interface UnresponsiveSites {
  /** Whether the site is currently skipped. */
  isUnresponsive(origin: string): boolean
  /** Records the outcome of a request. */
  recordOutcome(origin: string, outcome: 'answered' | 'timed-out'): void
}

/** Number of consecutive timeouts before a site is skipped, equal to its concurrent requests. */
const MAX_TIMEOUTS = 2
const SKIP_MS = 60_000
const MAX_SITES = 1000

interface TimeoutRecord {
  count: number
  untilMs: number
}

/**
 * Creates a tracker of unresponsive sites. Skips such a site for a minute, because waiting for its pages delays other
 * sites.
 */
export function createUnresponsiveSites(clock: Omit<Clock, 'after'>): UnresponsiveSites {
  const timeoutRecords = new Map<string, TimeoutRecord>()
  return {
    isUnresponsive: (origin) => (timeoutRecords.get(origin)?.untilMs ?? 0) > clock.now(),

    recordOutcome(origin, outcome) {
      const record = timeoutRecords.get(origin) ?? { count: 0, untilMs: 0 }
      timeoutRecords.delete(origin)
      if (outcome === 'answered') return
      const [oldest] = timeoutRecords.keys()
      if (timeoutRecords.size >= MAX_SITES && oldest !== undefined) timeoutRecords.delete(oldest)
      record.count += 1
      if (record.count >= MAX_TIMEOUTS) record.untilMs = clock.now() + SKIP_MS
      timeoutRecords.set(origin, record)
    },
  }
}
