import { scheduler } from 'node:timers/promises'
import type { Clock } from '@parley/engine/ports'

/** Lets everything else on the thread have its turn when long work has gone on for a while. */
export type Breathe = () => Promise<void>

/** What the main thread may do in a row. */
const LONGEST_WORK_MS = 3

/**
 * For work whose waits are no pauses: answers of a quick thread, and of the embedded database, come without a turn of the event
 * loop. All who share it are counted together.
 */
export function createBreathing(clock: Clock): Breathe {
  let breathedAtMs = clock.now()
  return async () => {
    if (clock.now() - breathedAtMs < LONGEST_WORK_MS) return
    // Not a timer of the clock: this is no wait, and nobody is to move the time for it.
    await scheduler.yield()
    breathedAtMs = clock.now()
  }
}
