import type { Clock } from '../../packages/engine/src/ports.ts'
import { type Check, CheckError } from './check.ts'
import type { WireLog } from './wire-log.ts'

const DEFAULT_LIMIT_MS = 30_000

export interface CheckResult {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Reason for a check that did not pass. */
  readonly problem: string
  readonly durationMs: number
}

export interface RunOptions {
  readonly clock: Clock
  readonly log: WireLog
  readonly onResult: (result: CheckResult) => void
}

/** The rest of the budget, which several vendors share. */
export class RunBudget {
  readonly #clock: Clock
  readonly #endMs: number
  #remainingUsd: number

  constructor(clock: Clock, { usd, totalMs }: { readonly usd: number; readonly totalMs: number }) {
    this.#clock = clock
    this.#endMs = clock.now() + totalMs
    this.#remainingUsd = usd
  }

  get remainingMs(): number {
    return Math.max(0, this.#endMs - this.#clock.now())
  }

  /** Reserves the cost of a check. Returns a reason if the budget is too small. */
  reserve({ costUsd }: Check): string | null {
    if (this.remainingMs === 0) return 'The total time is over.'
    // Tolerates the rounding errors of a sum.
    if (costUsd > this.#remainingUsd + 1e-9) return 'The budget is used up.'
    this.#remainingUsd -= costUsd
    return null
  }
}

/** Runs the checks one after another. A failed check does not affect the others. */
export async function runChecks(
  checks: readonly Check[],
  budget: RunBudget,
  options: RunOptions,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const skipReason = budget.reserve(check)
    const result: CheckResult =
      skipReason === null
        ? await runCheck(check, budget.remainingMs, options)
        : { name: check.name, outcome: 'skipped', problem: skipReason, durationMs: 0 }
    results.push(result)
    options.log.write({ kind: 'check', name: result.name, outcome: result.outcome, problem: result.problem })
    options.onResult(result)
  }
  return results
}

async function runCheck(check: Check, remainingMs: number, { clock, log }: RunOptions): Promise<CheckResult> {
  const { name, limitMs = DEFAULT_LIMIT_MS } = check
  const startMs = clock.now()
  const allowedMs = Math.min(limitMs, remainingMs)
  const controller = new AbortController()
  const deadline = Promise.withResolvers<never>()
  const cancelDeadline = clock.after(allowedMs, () =>
    deadline.reject(new CheckError(`The check did not end within ${allowedMs} ms.`)),
  )
  log.startCheck(name)
  try {
    await Promise.race([check.run(controller.signal), deadline.promise])
    return { name, outcome: 'passed', problem: '', durationMs: clock.now() - startMs }
  } catch (error) {
    return { name, outcome: 'failed', problem: describeError(error), durationMs: clock.now() - startMs }
  } finally {
    cancelDeadline()
    // Releases what a check that failed or timed out still uses.
    controller.abort()
  }
}

/** Omits the messages of unexpected errors, because they can contain addresses and texts. */
function describeError(error: unknown): string {
  if (error instanceof CheckError) return error.message
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return `Unexpected ${error instanceof Error ? error.name : 'error'}${code}.`
}
