import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom } from '../seeded-random.ts'
import { createSoundLoop } from './background.ts'

const RATE = 8_000
const FRAME = 160
const LENGTH_MS = 5_300
const FRAMES = Math.ceil((LENGTH_MS / 1000) * (RATE / FRAME))

/** Creates a 50 Hz tone that counts how often it was sampled. */
function createCountingTone() {
  let sampleCount = 0
  const loop = createSoundLoop(
    () => () => {
      sampleCount += 1
      return 0.3 * Math.sin((2 * Math.PI * 50 * sampleCount) / RATE)
    },
    { rateHz: RATE, durationMs: LENGTH_MS, seed: 1, isPeriodic: false },
  )
  return { loop, getSampleCount: () => sampleCount }
}

/** Maximum step between this tone's neighboring samples at the loudest point of a crossfade. */
const MAX_STEP = 0.3 * 32_767 * ((2 * Math.PI * 50) / RATE) * Math.SQRT2 + 10

test('renders little more than it plays in every frame, including the seam', () => {
  const { loop, getSampleCount } = createCountingTone()
  let position = 0
  for (let frame = 0; frame < 3 * FRAMES; frame += 1) {
    const previousCount = getSampleCount()
    position = loop.addTo(new Float32Array(FRAME), position, 1)
    expect(getSampleCount() - previousCount).toBeLessThanOrEqual(1.5 * FRAME)
  }
  const countBeforeLastFrame = getSampleCount()
  loop.addTo(new Float32Array(FRAME), position, 1)
  expect(getSampleCount()).toBe(countBeforeLastFrame)
})

test('plays from any start position without gaps or long renders', () => {
  const startPositions = fc.array(fc.record({ startFrame: fc.nat({ max: 2 * FRAMES }), seed: fc.nat() }), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(startPositions, (laterListeners) => {
      const { loop, getSampleCount } = createCountingTone()
      const listeners = [{ startFrame: 0, seed: 1 }, ...laterListeners].map((listener) => ({
        ...listener,
        position: -1,
        lastSample: 0,
      }))
      for (let frame = 0; frame < 4 * FRAMES; frame += 1) {
        const previousCount = getSampleCount()
        for (const listener of listeners) {
          if (listener.startFrame > frame) continue
          const isFirst = listener.position < 0
          if (isFirst) listener.position = loop.chooseStartPosition(createSeededRandom(listener.seed))
          const output = new Float32Array(FRAME)
          listener.position = loop.addTo(output, listener.position, 1)
          const steps = output.map((sample, index) => Math.abs(sample - (output[index - 1] ?? listener.lastSample)))
          expect(Math.max(...steps.subarray(isFirst ? 1 : 0))).toBeLessThanOrEqual(MAX_STEP)
          listener.lastSample = output[FRAME - 1] ?? 0
        }
        expect(getSampleCount() - previousCount).toBeLessThanOrEqual(3 * FRAME)
      }
    }),
    { numRuns: 12 },
  )
})
