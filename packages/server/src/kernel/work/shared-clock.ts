import type { Clock } from '@parley/engine/ports'

/**
 * The database time shared by all nodes, used for leases, jobs and stored times. Code that only measures or waits within this
 * process uses a `Clock`.
 */
export interface SharedClock extends Omit<Clock, 'scope'> {
  readonly scope: 'installation'
}

/** Wraps the process clock as a shared clock, for single nodes and tests. */
export function createSharedClock({ now, after }: Clock): SharedClock {
  return { scope: 'installation', now, after }
}
