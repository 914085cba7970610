import type { ManualClock } from '@parley/engine/testing/manual-clock'

/** Advances virtual time in steps until the work has finished, since databases run in real time. */
export async function advanceUntil<Result>(
  { advance }: Pick<ManualClock, 'advance'>,
  work: Promise<Result>,
  stepMs = 1,
): Promise<Result> {
  let isFinished = false
  const markFinished = (): void => {
    isFinished = true
  }
  work.then(markFinished, markFinished)
  while (!isFinished) {
    await advance(stepMs)
    await new Promise(setImmediate)
  }
  return await work
}
