import { createSeededRandom } from '@parley/engine/audio/seeded-random'
import { afterAll, expect, test } from 'vitest'
import {
  drawInterruption,
  openInterruptionRuns,
} from '../../packages/server/src/features/calls/live/interruption-runs-test-kit.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'

const INTERRUPTIONS = Number(process.env.INTERRUPTIONS ?? 200)
/** The target is two words. One or two of a thousand interruptions are off by three if audio barely outpaces playback. */
const MAX_ESTIMATE_ERROR = 3
const MAX_RARE_RATIO = 0.01
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)

const interruptionRuns = openInterruptionRuns(systemClock)
afterAll(() => interruptionRuns[Symbol.asyncDispose]())

test(`history equals what was heard at ${INTERRUPTIONS} cuts, with the voice's times and without (SEED=${seed})`, async () => {
  const random = createSeededRandom(seed)
  const wrong: string[] = []
  const rare: string[] = []
  const counts: Record<string, number> = {}
  for (let run = 0; run < INTERRUPTIONS; run += 1) {
    const drawn = drawInterruption(random)
    for (const withWords of [true, false]) {
      const { difference: off, content } = await interruptionRuns.run({ ...drawn, withWords })
      const name = `${withWords ? 'with' : 'without'} times, ${off} words`
      counts[name] = (counts[name] ?? 0) + 1
      const sentence = `${JSON.stringify(drawn)} ${name}: ${content}`
      if (Math.abs(off) > (withWords ? 1 : MAX_ESTIMATE_ERROR)) wrong.push(sentence)
      else if (Math.abs(off) > 2) rare.push(sentence)
    }
  }
  process.stdout.write(`heard history: ${JSON.stringify(counts)}\n`)
  expect(wrong).toEqual([])
  expect(rare.length, rare.join('\n')).toBeLessThanOrEqual(INTERRUPTIONS * MAX_RARE_RATIO)
}, 600_000)
