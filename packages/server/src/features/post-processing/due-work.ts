import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import { BatchConflictError } from '../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'
import type { FinalizeOptions } from './policy/plan-post-processing.ts'

/** Maximum number of attempts. Ended conversations have few concurrent writes. */
const MAX_ATTEMPTS = 5

/** Retries a function after write conflicts. */
export async function retryConflicts<Result>(readAndWrite: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readAndWrite()
    } catch (error) {
      if (!(error instanceof BatchConflictError) || attempt >= MAX_ATTEMPTS) throw error
    }
  }
}

/** Number of attempts that use models. The limit ensures that the storage policy is applied soon. */
const MODEL_ATTEMPTS = 5
/** Delays after the attempts that use models. The next attempt analyzes the conversation by rules. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_000] as const
const LATER_RETRY_MS = 300_000
/** Allows for two responses from each of a few models. */
const TIMEOUT_MS = 1_200_000

export const FINALIZE_RETRIES = {
  timeoutMs: TIMEOUT_MS,
  retryDelayMs: (attempt: number) => RETRY_DELAYS_MS[attempt - 1] ?? LATER_RETRY_MS,
} as const satisfies Omit<JobHandler, 'run'>

/** From this attempt on, content that cannot be redacted in time is omitted. */
const REDACTION_ATTEMPTS = 3

/**
 * Returns the options of an attempt. Later attempts use rules instead of models and omit content that cannot be redacted in
 * time.
 */
export function getAttemptOptions(attempt: number, signal: AbortSignal): FinalizeOptions {
  return { usesModels: attempt <= MODEL_ATTEMPTS, omitsUnredacted: attempt >= REDACTION_ATTEMPTS, signal }
}

/** Age at which a job counts as lost and is replaced. */
export const LOST_JOB_DELAY_MS = 3_600_000
/** Delay before a failed conversation is processed again. */
export const FAILURE_DELAY_MS = 600_000

/** Maximum number of conversations per batch. */
export const MAX_PER_BATCH = 200
const MAX_BATCHES = 100
/** Number of concurrent writes. Concurrent writes can share a commit. */
const CONCURRENCY = 20

/** A job that a worker runs every minute. */
export interface MinuteJob {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
}

/** Creates a job that runs every minute, once across all nodes. */
export function createMinuteJob(kind: string, run: (signal: AbortSignal) => Promise<void>): MinuteJob {
  return {
    handlers: { [kind]: { run: (_job, signal) => run(signal) } },
    schedules: [{ name: kind, pattern: '* * * * *', kind, payload: {} }],
  }
}

export interface DueWork<Item> {
  /** Finds up to `MAX_PER_BATCH` due items. Processed and postponed items are no longer due. */
  find(): Promise<readonly Item[]>
  process(item: Item): Promise<void>
  /** Postpones a failing item so that it does not block others. */
  postpone(item: Item): Promise<void>
}

/** Processes all due items, then throws the first error, if any. Stops early if a failed item cannot be postponed. */
export async function runDueWork<Item>(work: DueWork<Item>, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  let isDatabaseDown = false
  const isStopped = (): boolean => isDatabaseDown || signal?.aborted === true
  for (let batch = 0; batch < MAX_BATCHES && !isStopped(); batch += 1) {
    const items = await work.find()
    for (const group of splitIntoChunks(items, CONCURRENCY)) {
      if (isStopped()) break
      await Promise.all(
        group.map(async (item) => {
          try {
            await work.process(item)
          } catch (error) {
            failures.push(error)
            // If this write fails too, further work would also fail.
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
