import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAudioEnvelope, extractCues } from './audio-envelope.ts'
import { createWhiteNoise } from './generated-audio-test-kit.ts'

const RATE_HZ = 16_000

/** Creates syllables: a vowel of 150 ms that swells and fades, then 50 ms of silence. */
function syllables(count: number): Int16Array {
  return Int16Array.from({ length: count * RATE_HZ * 0.2 }, (_, index) => {
    const second = (index / RATE_HZ) % 0.2
    const swell = second < 0.15 ? Math.sin((Math.PI * second) / 0.15) : 0
    return Math.round(8_000 * swell * Math.sin((2 * Math.PI * 500 * index) / RATE_HZ))
  })
}

function cuesOf(...clips: readonly Int16Array[]) {
  const envelope = createAudioEnvelope(RATE_HZ)
  for (const clip of clips) envelope.append(clip)
  return extractCues(envelope)
}

test.each([1, 4, 9])('counts %s syllables', (count) => {
  expect(cuesOf(syllables(count)).syllables.at(-1)).toBe(count)
})

test('separates hisses, vowels and silence', () => {
  const noise = createWhiteNoise({ rateHz: RATE_HZ, durationMs: 200, amplitude: 4_000 })
  // Differencing emphasizes high frequencies.
  const hiss = noise.map((sample, index) => sample - (noise[index - 1] ?? 0))
  const cues = cuesOf(syllables(2), hiss, new Int16Array(RATE_HZ * 0.3))
  const [vowels = 0, hissed = 0] = [cues.hisses[39], cues.hisses[60]]
  expect(vowels).toBeLessThan(4)
  expect(hissed - vowels).toBeGreaterThan(15)
  expect(cues.quiet.at(-1)).toBeGreaterThan(25)
  expect(cues.quiet[30]).toBe(0)
})

test('returns the same envelope for every chunking', () => {
  const clip = syllables(5)
  const whole = createAudioEnvelope(RATE_HZ)
  whole.append(clip)
  fc.assert(
    fc.property(fc.array(fc.nat(clip.length)), (cuts) => {
      const chunked = createAudioEnvelope(RATE_HZ)
      let from = 0
      for (const to of [...cuts.toSorted((a, b) => a - b), clip.length]) {
        chunked.append(clip.subarray(from, to))
        from = to
      }
      expect([chunked.voice, chunked.hiss]).toEqual([whole.voice, whole.hiss])
    }),
    { numRuns: 30 },
  )
})
