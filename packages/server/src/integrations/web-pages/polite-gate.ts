import type { Clock } from '@parley/engine/ports'

/** Outcome of waiting for a turn at a site. */
export type GateResult =
  /** The request can start. Callers must call `leave` afterwards. */
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** The wait would be too long. */
  | { readonly kind: 'too-long' }
  | { readonly kind: 'cancelled' }

/** Limits the requests of this process to each site. */
export interface PoliteGate {
  /** Waits in a queue for at most a minute. After this request, the next request starts at least `pauseMs` later. */
  enter(origin: string, pauseMs: number, signal: AbortSignal): Promise<GateResult>
  /** Pauses requests to the site until the given time. */
  pauseUntil(origin: string, untilMs: number): void
}

const MAX_CONCURRENT_REQUESTS = 2
const MAX_WAIT_MS = 60_000
/** Idle sites are deleted above this number. */
const MAX_IDLE_SITES = 1000

interface WaitingRequest {
  readonly pauseMs: number
  readonly finish: (entry: GateResult) => void
}

interface Site {
  readonly waitingRequests: Set<WaitingRequest>
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
    const site: Site = { waitingRequests: new Set(), activeCount: 0, nextStartMs: 0, cancelTimer: null }
    sites.set(origin, site)
    return site
  }

  function deleteIdleSites(): void {
    for (const [origin, { waitingRequests, activeCount, nextStartMs }] of sites) {
      if (waitingRequests.size === 0 && activeCount === 0 && nextStartMs <= clock.now()) sites.delete(origin)
    }
  }

  /** Admits requests that are allowed to start and schedules the next check. */
  function admitRequests(site: Site): void {
    for (const request of site.waitingRequests) {
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
      return await new Promise<GateResult>((resolve) => {
        const waitingRequest: WaitingRequest = {
          pauseMs,
          finish: (entry) => {
            site.waitingRequests.delete(waitingRequest)
            cancelDeadline()
            signal.removeEventListener('abort', onAbort)
            resolve(entry)
          },
        }
        const onAbort = (): void => waitingRequest.finish({ kind: 'cancelled' })
        const cancelDeadline = clock.after(MAX_WAIT_MS, () => waitingRequest.finish({ kind: 'too-long' }))
        signal.addEventListener('abort', onAbort, { once: true })
        site.waitingRequests.add(waitingRequest)
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

/** Number of consecutive timeouts before a site is skipped. Equal to the maximum number of concurrent requests. */
const MAX_TIMEOUTS = 2
const SKIP_MS = 60_000
const MAX_SITES = 1000

interface TimeoutRecord {
  count: number
  skipUntilMs: number
}

/**
 * Creates a tracker of unresponsive sites. They are skipped for a minute, because waiting for them would delay other sites.
 */
export function createUnresponsiveSites(clock: Omit<Clock, 'after'>): UnresponsiveSites {
  const timeoutRecords = new Map<string, TimeoutRecord>()
  return {
    isUnresponsive: (origin) => (timeoutRecords.get(origin)?.skipUntilMs ?? 0) > clock.now(),

    recordOutcome(origin, outcome) {
      const record = timeoutRecords.get(origin) ?? { count: 0, skipUntilMs: 0 }
      timeoutRecords.delete(origin)
      if (outcome === 'answered') return
      const [oldest] = timeoutRecords.keys()
      if (timeoutRecords.size >= MAX_SITES && oldest !== undefined) timeoutRecords.delete(oldest)
      record.count += 1
      if (record.count >= MAX_TIMEOUTS) record.skipUntilMs = clock.now() + SKIP_MS
      timeoutRecords.set(origin, record)
    },
  }
}
