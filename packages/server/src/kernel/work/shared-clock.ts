import type { Clock } from '@parley/engine/ports'

/**
 * The database time that all nodes share, for leases, jobs and stored times. Code that only measures or waits in this
 * process takes a `Clock`.
 */
export interface SharedClock extends Omit<Clock, 'scope'> {
  readonly scope: 'installation'
}

/** The process time as shared time, for single nodes and tests. */
export function shareClock({ now, after }: Clock): SharedClock {
  return { scope: 'installation', now, after }
}
