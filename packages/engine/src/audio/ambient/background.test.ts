import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom } from '../seeded-random.ts'
import { createSoundLoop } from './background.ts'

const RATE = 8_000
const FRAME = 160
const LENGTH_MS = 5_300
const FRAMES = Math.ceil((LENGTH_MS / 1000) * (RATE / FRAME))

/** Creates a 50 Hz tone that counts how often it was sampled. */
function countingTone() {
  let asked = 0
  const loop = createSoundLoop(
    () => () => {
      asked += 1
      return 0.3 * Math.sin((2 * Math.PI * 50 * asked) / RATE)
    },
    { rateHz: RATE, durationMs: LENGTH_MS, seed: 1, isPeriodic: false },
  )
  return { loop, asked: () => asked }
}

/** Maximum step between this tone's neighboring samples at the loudest point of a crossfade. */
const MAX_STEP = 0.3 * 32_767 * ((2 * Math.PI * 50) / RATE) * Math.SQRT2 + 10

test('renders little more than it plays in every frame, including the seam', () => {
  const { loop, asked } = countingTone()
  let position = 0
  for (let frame = 0; frame < 3 * FRAMES; frame += 1) {
    const before = asked()
    position = loop.addTo(new Float32Array(FRAME), position, 1)
    expect(asked() - before).toBeLessThanOrEqual(1.5 * FRAME)
  }
  const before = asked()
  loop.addTo(new Float32Array(FRAME), position, 1)
  expect(asked()).toBe(before)
})

test('plays without a cut or a long render from any start position', () => {
  const startPositions = fc.array(fc.record({ atFrame: fc.nat({ max: 2 * FRAMES }), seed: fc.nat() }), { maxLength: 8 })
  fc.assert(
    fc.property(startPositions, (later) => {
      const { loop, asked } = countingTone()
      const listeners = [{ atFrame: 0, seed: 1 }, ...later].map((one) => ({ ...one, position: -1, last: 0 }))
      for (let frame = 0; frame < 4 * FRAMES; frame += 1) {
        const before = asked()
        for (const listener of listeners) {
          if (listener.atFrame > frame) continue
          const isFirst = listener.position < 0
          if (isFirst) listener.position = loop.startPosition(createSeededRandom(listener.seed))
          const heard = new Float32Array(FRAME)
          listener.position = loop.addTo(heard, listener.position, 1)
          const steps = heard.map((sample, index) => Math.abs(sample - (heard[index - 1] ?? listener.last)))
          expect(Math.max(...steps.subarray(isFirst ? 1 : 0))).toBeLessThanOrEqual(MAX_STEP)
          listener.last = heard[FRAME - 1] ?? 0
        }
        expect(asked() - before).toBeLessThanOrEqual(3 * FRAME)
      }
    }),
    { numRuns: 12 },
  )
})
