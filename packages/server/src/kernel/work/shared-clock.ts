import type { Clock } from '@parley/engine/ports'

/**
 * The time that all nodes agree on, the database's: for leases, jobs and stored times that nodes compare. Its timers are the
 * machine's. What only measures or waits within this process takes a `Clock`.
 */
export interface SharedClock extends Omit<Clock, 'scope'> {
  readonly scope: 'installation'
}

/** The process's own time as the shared one: where a node is alone, and in tests. */
export function shareClock({ now, after }: Clock): SharedClock {
  return { scope: 'installation', now, after }
}
