import type { Clock } from '@parley/engine/ports'

/** Outcome of waiting for a turn at a site. */
export type Entry =
  /** The request may start; call `leave` after it. */
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** The wait would be too long. */
  | { readonly kind: 'too-long' }
  | { readonly kind: 'cancelled' }

/** Limits the requests of this process to each site. */
export interface PoliteGate {
  /** Waits its turn, in order of arrival, for at most a minute. The next request starts at least `pauseMs` later. */
  enter(origin: string, pauseMs: number, signal: AbortSignal): Promise<Entry>
  /** Pauses requests to the site until then. */
  pauseUntil(origin: string, untilMs: number): void
}

const MAX_AT_ONCE = 2
const MAX_WAIT_MS = 60_000
/** Limit of remembered idle sites. */
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

/** At most two concurrent requests per origin, with a pause between their starts. */
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

  /** Admits requests whose time has come and schedules the next check. */
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

/** Sites whose requests time out. */
export interface UnresponsiveSites {
  /** Whether the site is skipped for now. */
  isSilent(origin: string): boolean
  /** Records the outcome of a request. */
  note(origin: string, outcome: 'answered' | 'timed-out'): void
}

/** Consecutive timeouts before a site is skipped, equal to its concurrent requests. */
const MAX_TIMEOUTS = 2
const SKIP_MS = 60_000
const MAX_SITES = 1000

interface Silence {
  count: number
  untilMs: number
}

/** Skips a site without answers for a minute, since waiting for each of its pages would delay other sites. */
export function createUnresponsiveSites(clock: Omit<Clock, 'after'>): UnresponsiveSites {
  const silences = new Map<string, Silence>()
  return {
    isSilent: (origin) => (silences.get(origin)?.untilMs ?? 0) > clock.now(),

    note(origin, outcome) {
      const silence = silences.get(origin) ?? { count: 0, untilMs: 0 }
      silences.delete(origin)
      if (outcome === 'answered') return
      const [oldest] = silences.keys()
      if (silences.size >= MAX_SITES && oldest !== undefined) silences.delete(oldest)
      silence.count += 1
      if (silence.count >= MAX_TIMEOUTS) silence.untilMs = clock.now() + SKIP_MS
      silences.set(origin, silence)
    },
  }
}
