import type { Clock } from '@parley/engine/ports'

/** Sites that let requests run out of time. */
export interface UnresponsiveSites {
  /** Whether the site is left alone for now. */
  isSilent(origin: string): boolean
  /** What a request to it came to. */
  note(origin: string, outcome: 'answered' | 'timed-out'): void
}

/** So many in a row: as many as are under way at once. */
const MAX_TIMEOUTS = 2
const SKIP_MS = 60_000
const MAX_SITES = 1000

interface Silence {
  count: number
  untilMs: number
}

/** Leaves a site that does not answer alone for a minute: waiting for each of its pages would hold up the pages of others. */
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
