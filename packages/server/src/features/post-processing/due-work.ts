import type { JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'

/** Conversations of which something is to be done at a time: all that is due is looked after by one job, every minute. */

/** A job that was lost is made up for after this long. */
export const LOST_JOB_DELAY_MS = 3_600_000
/** A conversation that could not be looked after is postponed for as long. */
export const FAILURE_DELAY_MS = 600_000

/** Conversations of one look, and looks of one run: what is left is found by the next. */
export const MAX_PER_BATCH = 200
const MAX_BATCHES = 100
/** Conversations that are written at the same time, so that they share commits. */
const CONCURRENCY = 20

/** What a worker needs to know of work that is done every minute. */
export interface MinuteJob {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
}

/** Runs every minute, once over all nodes, as the jobs of this kind. */
export function minuteJob(kind: string, run: (signal: AbortSignal) => Promise<void>): MinuteJob {
  return {
    handlers: { [kind]: { run: (_job, signal) => run(signal) } },
    schedules: [{ name: kind, pattern: '* * * * *', kind, payload: {} }],
  }
}

export interface DueWork<Item> {
  /** At most `MAX_PER_BATCH` of those that are due; one that was looked after or postponed is none of them any more. */
  find(): Promise<readonly Item[]>
  processDue(item: Item): Promise<void>
  /** One that could not be looked after does not hold up the others. */
  postpone(item: Item): Promise<void>
}

/** Looks after everything that is due. Throws the first failure, once all others were looked after, or no more can be. */
export async function runDueWork<Item>(work: DueWork<Item>, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  let isDatabaseDown = false
  const isStopped = (): boolean => isDatabaseDown || signal?.aborted === true
  for (let batch = 0; batch < MAX_BATCHES && !isStopped(); batch += 1) {
    const items = await work.find()
    for (let from = 0; from < items.length && !isStopped(); from += CONCURRENCY) {
      const group = items.slice(from, from + CONCURRENCY)
      await Promise.all(
        group.map(async (item) => {
          try {
            await work.processDue(item)
          } catch (error) {
            failures.push(error)
            // Where not even that can be written, more of them cannot be looked after now.
            await work.postpone(item).catch((postponeError: unknown) => {
              failures.push(postponeError)
              isDatabaseDown = true
            })
          }
        }),
      )
    }
    if (items.length < MAX_PER_BATCH) break
  }
  if (failures.length > 0) throw failures[0]
}
