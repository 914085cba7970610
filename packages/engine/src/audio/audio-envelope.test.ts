import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAudioEnvelope, extractCues } from './audio-envelope.ts'
import { createWhiteNoise } from './generated-audio-test-kit.ts'

const RATE_HZ = 16_000

/** Creates syllables: a vowel of 150 ms that swells and fades, then 50 ms of silence. */
function createSyllables(count: number): Int16Array {
  return Int16Array.from({ length: count * RATE_HZ * 0.2 }, (_, index) => {
    const seconds = (index / RATE_HZ) % 0.2
    const swell = seconds < 0.15 ? Math.sin((Math.PI * seconds) / 0.15) : 0
    return Math.round(8_000 * swell * Math.sin((2 * Math.PI * 500 * index) / RATE_HZ))
  })
}

function extractClipCues(...clips: readonly Int16Array[]) {
  const envelope = createAudioEnvelope(RATE_HZ)
  for (const clip of clips) envelope.append(clip)
  return extractCues(envelope)
}

test.each([1, 4, 9])('counts %s syllables', (count) => {
  expect(extractClipCues(createSyllables(count)).syllables.at(-1)).toBe(count)
})

test('separates hisses, vowels and silence', () => {
  const noise = createWhiteNoise({ rateHz: RATE_HZ, durationMs: 200, amplitude: 4_000 })
  // Differencing emphasizes high frequencies.
  const hiss = noise.map((sample, index) => sample - (noise[index - 1] ?? 0))
  const cues = extractClipCues(createSyllables(2), hiss, new Int16Array(RATE_HZ * 0.3))
  const [vowelHisses = 0, totalHisses = 0] = [cues.hisses[39], cues.hisses[60]]
  expect(vowelHisses).toBeLessThan(4)
  expect(totalHisses - vowelHisses).toBeGreaterThan(15)
  expect(cues.quiet.at(-1)).toBeGreaterThan(25)
  expect(cues.quiet[30]).toBe(0)
})

test('returns the same envelope no matter how the audio is chunked', () => {
  const clip = createSyllables(5)
  const wholeEnvelope = createAudioEnvelope(RATE_HZ)
  wholeEnvelope.append(clip)
  fc.assert(
    fc.property(fc.array(fc.nat(clip.length)), (cuts) => {
      const chunkedEnvelope = createAudioEnvelope(RATE_HZ)
      let from = 0
      for (const to of [...cuts.toSorted((a, b) => a - b), clip.length]) {
        chunkedEnvelope.append(clip.subarray(from, to))
        from = to
      }
      expect([chunkedEnvelope.voice, chunkedEnvelope.hiss]).toEqual([wholeEnvelope.voice, wholeEnvelope.hiss])
    }),
    { numRuns: 30 },
  )
})
