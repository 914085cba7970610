import type { ManualClock } from '@parley/engine/testing/manual-clock'

/** Moves virtual time on, a step at a time, until the work has settled: what a database does in between takes real time. */
export async function advanceUntil<Result>(
  { advance }: Pick<ManualClock, 'advance'>,
  work: Promise<Result>,
  stepMs = 1,
): Promise<Result> {
  let isSettled = false
  const settled = (): void => {
    isSettled = true
  }
  work.then(settled, settled)
  while (!isSettled) {
    await advance(stepMs)
    await new Promise(setImmediate)
  }
  return await work
}
