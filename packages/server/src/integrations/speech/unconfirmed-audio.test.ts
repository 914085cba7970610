import { expect, test } from 'vitest'
import { UnconfirmedAudio } from './unconfirmed-audio.ts'

const RATE_HZ = 8_000

/** Returns samples whose values are their positions. */
function createSamples(startSample: number, count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, index) => startSample + index)
}

test('keeps its samples at their positions while audio before them is dropped', () => {
  const audio = new UnconfirmedAudio(RATE_HZ)
  for (let start = 0; start < 30_000; start += 160) {
    audio.append(createSamples(start, 160))
    audio.dropBefore(audio.endSample - 1_000.5)
    const { startSample, endSample } = audio
    expect([startSample, endSample]).toEqual([Math.max(0, start + 160 - 1_001), start + 160])
    expect(audio.read(startSample, endSample)).toEqual(createSamples(startSample, endSample - startSample))
  }
  expect(audio.read(29_500, 29_600)).toEqual(createSamples(29_500, 100))
})

test('reports whether a limit dropped audio', () => {
  const audio = new UnconfirmedAudio(RATE_HZ)
  audio.append(createSamples(0, RATE_HZ))
  expect(audio.limit(1)).toBe(false)
  audio.append(createSamples(RATE_HZ, 160))
  expect(audio.limit(1)).toBe(true)
  expect(audio.startSample).toBe(160)
  expect(audio.limit(1)).toBe(false)
})

test('keeps positions after all audio was dropped', () => {
  const audio = new UnconfirmedAudio(RATE_HZ)
  audio.append(createSamples(0, 100))
  expect(audio.dropBefore(Number.MAX_VALUE)).toBe(true)
  expect([audio.startSample, audio.endSample]).toEqual([100, 100])
  expect(audio.dropBefore(50)).toBe(false)
  audio.append(createSamples(100, 50))
  expect(audio.read(100, 150)).toEqual(createSamples(100, 50))
})
