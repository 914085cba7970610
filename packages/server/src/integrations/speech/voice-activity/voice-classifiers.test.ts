import { createFanNoise } from '@parley/engine/audio/generated-audio-test-kit'
import { expect, test } from 'vitest'
import { systemClock } from '../../../platform/system.ts'
import { failOnError } from '../speech-test-kit.ts'
import { createSileroClassifiers } from './voice-classifiers.ts'

test('classifies several callers on the real thread, and continues after the model was unloaded', async () => {
  const silero = createSileroClassifiers({ clock: systemClock, logError: failOnError })
  const classifiers = await silero.load()
  await silero.whenReady()
  const callers = ([8_000, 16_000] as const).map((rateHz) => {
    const endSamples: number[] = []
    const classifier = classifiers.open(rateHz, ({ endSample }) => endSamples.push(endSample / rateHz))
    const noise = createFanNoise({ rateHz, durationMs: 320, amplitude: 6_000 })
    const frameSamples = rateHz / 50
    const push = (): void => {
      for (let start = 0; start < noise.length; start += frameSamples)
        classifier.push(noise.subarray(start, start + frameSamples), start)
    }
    return { classifier, endSamples, push }
  })
  for (const { push } of callers) push()
  await silero.whenIdle()
  const expected = Array.from({ length: 10 }, (_, index) => (index + 1) * 0.032)
  for (const { endSamples } of callers)
    expect(endSamples).toEqual(expected.map((seconds) => expect.closeTo(seconds, 6)))
  await silero.close()
  callers[0]?.push()
  expect(callers[0]?.endSamples).toHaveLength(20)
  for (const { classifier } of callers) classifier.close()
})
