import { countFrameSamples, type LegRateHz } from '@parley/engine/audio/frame'
import { expect, test } from 'vitest'
import { loadFvad } from './fvad.ts'

/** Creates a frame of a vowel: a buzz with the formants of an "a", modulated in syllables. */
function createVowel(rateHz: LegRateHz, index: number): Int16Array {
  const frame = new Int16Array(countFrameSamples(rateHz))
  for (let sampleIndex = 0; sampleIndex < frame.length; sampleIndex += 1) {
    const seconds = (index * frame.length + sampleIndex) / rateHz
    let value = 0
    for (let harmonic = 1; harmonic * 120 < Math.min(3400, rateHz / 2); harmonic += 1) {
      const hz = harmonic * 120
      const formants = 1 / (1 + ((hz - 700) / 200) ** 2) + 0.6 / (1 + ((hz - 1200) / 250) ** 2)
      value += formants * Math.sin(2 * Math.PI * hz * seconds)
    }
    frame[sampleIndex] = Math.round(3000 * value * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * seconds)))
  }
  return frame
}

test.each([8_000, 16_000] as const)('separates voice from silence at %i Hz', async (rateHz) => {
  const classifier = (await loadFvad()).open(rateHz, 3)
  const silence = new Int16Array(countFrameSamples(rateHz))
  const countVoiced = (frames: readonly Int16Array[]) => frames.filter((frame) => classifier.isVoice(frame)).length
  expect(countVoiced(Array.from({ length: 50 }, () => silence))).toBe(0)
  expect(countVoiced(Array.from({ length: 50 }, (_, index) => createVowel(rateHz, index)))).toBeGreaterThan(40)
  expect(countVoiced(Array.from({ length: 50 }, () => silence).slice(20))).toBeLessThan(15)
  classifier.close()
})

test('isolates callers and reuses the memory of closed classifiers', async () => {
  const classifiers = await loadFvad()
  expect(await loadFvad()).toBe(classifiers)
  const frames = Array.from({ length: 60 }, (_, index) =>
    index % 20 < 12 ? createVowel(8_000, index) : new Int16Array(160),
  )
  const classifier = classifiers.open(8_000, 3)
  const expectedResults = frames.map((frame) => classifier.isVoice(frame))
  classifier.close()

  const firstClassifier = classifiers.open(8_000, 3)
  const secondClassifier = classifiers.open(16_000, 3)
  const results = frames.map((frame, index) => {
    secondClassifier.isVoice(createVowel(16_000, index))
    return firstClassifier.isVoice(frame)
  })
  expect(results).toEqual(expectedResults)
  firstClassifier.close()
  secondClassifier.close()

  // Creates far more classifiers than fit into memory.
  for (let index = 0; index < 50_000; index += 1) classifiers.open(8_000, 3).close()
})

test('rejects frames of another size, and all frames after close', async () => {
  const classifier = (await loadFvad()).open(8_000, 3)
  expect(classifier.isVoice(new Int16Array(100_000))).toBe(false)
  classifier.close()
  classifier.close()
  expect(classifier.isVoice(createVowel(8_000, 1))).toBe(false)
})
