import { createWhiteNoise } from '@parley/engine/audio/generated-audio-test-kit'
import { expect, test } from 'vitest'
import { systemClock } from '../../../platform/system.ts'
import { createFliteSynthesizer } from '../flite/flite-synthesizer.ts'
import { buildSpeechRequest, collectSpeech, failOnError } from '../speech-test-kit.ts'
import { SileroModel } from './silero-model.ts'
import { countWindowSamples } from './silero-protocol.ts'

const model = await SileroModel.load()

/** Returns the mean probability of consecutive windows of several callers, which are classified together. */
async function classify(callers: readonly Int16Array[], rateHz: 8_000 | 16_000): Promise<number[]> {
  const windowSamples = countWindowSamples(rateHz)
  const sums = callers.map(() => 0)
  const count = Math.floor(Math.min(...callers.map(({ length }) => length)) / windowSamples)
  for (let index = 0; index < count; index += 1) {
    const windows = callers.map((samples, callerId) => {
      const window = samples.subarray(index * windowSamples, (index + 1) * windowSamples)
      return { callerId, rateHz, isReset: index === 0, samples: window }
    })
    for (const [caller, probability] of (await model.classify(windows)).entries())
      sums[caller] = (sums[caller] ?? 0) + probability
  }
  return sums.map((sum) => sum / count)
}

test.each([8_000, 16_000] as const)('separates speech from loud noise in one batch at %i Hz', async (rateHz) => {
  const flite = createFliteSynthesizer({ clock: systemClock, logError: failOnError })
  const text = 'I would like to book a table for tonight.'
  const { samples } = await collectSpeech(flite.synthesize(buildSpeechRequest(text, { voice: 'rms', rateHz })))
  await flite.close()
  const noise = createWhiteNoise({ rateHz, durationMs: 1_500, amplitude: 12_000 })
  const [speech = 0, silence = 1] = await classify([samples, noise], rateHz)
  expect(speech).toBeGreaterThan(0.9)
  expect(silence).toBeLessThan(0.1)
  // Other callers in the batch make no difference.
  const [speechAlone = 0] = await classify([samples.subarray(0, Math.min(samples.length, noise.length))], rateHz)
  expect(speechAlone).toBeCloseTo(speech, 3)
})
