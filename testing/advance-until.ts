import type { ManualClock } from '@parley/engine/testing/manual-clock'

/** Advances virtual time in steps until the work has settled, since databases run in real time. */
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
