import { createSeededRandom } from '@parley/engine/audio/seeded-random'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../../platform/system.ts'
import { drawInterruption, openInterruptionRuns } from './interruption-runs-test-kit.ts'

const runs = openInterruptionRuns(systemClock)
afterAll(() => runs[Symbol.asyncDispose]())

test.each([
  ['with word timings', true, 1],
  ['without word timings', false, 2],
])('after an interruption of a real voice, the history holds what the caller heard %s', async (_, withWords, max) => {
  const random = createSeededRandom(5)
  for (let run = 0; run < 6; run += 1) {
    const interruption = { ...drawInterruption(random), withWords }
    const { difference: off, content } = await runs.run(interruption)
    expect(Math.abs(off), `${JSON.stringify(interruption)}: ${content}`).toBeLessThanOrEqual(max)
  }
})
