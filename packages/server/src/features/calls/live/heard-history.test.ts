import { createSeededRandom } from '@parley/engine/audio/seeded-random'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../../platform/system.ts'
import { drawInterruption, openInterruptionRuns } from './interruption-runs-test-kit.ts'

const cuts = openInterruptionRuns(systemClock)
afterAll(() => cuts[Symbol.asyncDispose]())

test.each([
  ['with word timings', true, 1],
  ['without word timings', false, 2],
])('the history holds what was heard after an interruption of a real voice %s', async (_, withWords, max) => {
  const random = createSeededRandom(5)
  for (let run = 0; run < 6; run += 1) {
    const cut = { ...drawInterruption(random), withWords }
    const { off, content } = await cuts.cut(cut)
    expect(Math.abs(off), `${JSON.stringify(cut)}: ${content}`).toBeLessThanOrEqual(max)
  }
})
