import { seededRandom } from '@parley/engine/audio/seeded-random'
import { afterAll, expect, test } from 'vitest'
import {
  drawInterruption,
  openInterruptionRuns,
} from '../../packages/server/src/features/calls/live/interruption-runs-test-kit.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'

const CUTS = Number(process.env.CUTS ?? 200)
/** Two words are wanted. One or two cuts in a thousand, of a sound that comes hardly faster than it is played, is off by three. */
const MOST_ESTIMATED = 3
const RARE_SHARE = 0.01
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)

const cuts = openInterruptionRuns(systemClock)
afterAll(() => cuts[Symbol.asyncDispose]())

test(`history equals what was heard at ${CUTS} cuts, with the voice's times and without (SEED=${seed})`, async () => {
  const random = seededRandom(seed)
  const wrong: string[] = []
  const rare: string[] = []
  const counts: Record<string, number> = {}
  for (let run = 0; run < CUTS; run += 1) {
    const drawn = drawInterruption(random)
    for (const withWords of [true, false]) {
      const { off, content } = await cuts.cut({ ...drawn, withWords })
      const name = `${withWords ? 'with' : 'without'} times, ${off} words`
      counts[name] = (counts[name] ?? 0) + 1
      const sentence = `${JSON.stringify(drawn)} ${name}: ${content}`
      if (Math.abs(off) > (withWords ? 1 : MOST_ESTIMATED)) wrong.push(sentence)
      else if (Math.abs(off) > 2) rare.push(sentence)
    }
  }
  process.stdout.write(`heard history: ${JSON.stringify(counts)}\n`)
  expect(wrong).toEqual([])
  expect(rare.length, rare.join('\n')).toBeLessThanOrEqual(CUTS * RARE_SHARE)
}, 600_000)
