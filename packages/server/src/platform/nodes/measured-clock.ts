import type { Clock } from '@parley/engine/ports'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'

/** A clock that follows the database's. */
export interface MeasuredClock extends SharedClock {
  /** Compares the machine's clock with the database's; until the first time they are taken for equal. */
  measure(): Promise<void>
  /** How far the machine's clock is ahead of the database's. */
  readonly skewMs: number
}

export function createMeasuredClock(clock: Clock, readDatabaseTime: () => Promise<number>): MeasuredClock {
  let skewMs: number | null = null
  return {
    scope: 'installation',
    now: () => Math.round(clock.now() - (skewMs ?? 0)),
    after: clock.after,
    get skewMs() {
      return skewMs ?? 0
    },
    async measure() {
      const sentAt = clock.now()
      const databaseTime = await readDatabaseTime()
      const least = sentAt - databaseTime
      const most = clock.now() - databaseTime
      // The database read its clock between the two, whenever that was. What was known is kept as far as this allows: an
      // answer that took long, or a process that was paused meanwhile, then says little instead of something wrong.
      const known = skewMs ?? (least + most) / 2
      skewMs = Math.min(Math.max(known, least), Math.max(least, most))
    },
  }
}
