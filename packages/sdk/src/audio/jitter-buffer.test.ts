import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JitterBuffer } from './jitter-buffer.ts'

const RATE_HZ = 8_000
const FRAME_SAMPLES = 160
const BLOCK_SAMPLES = 40

const createFrame = (value: number): Float32Array => new Float32Array(FRAME_SAMPLES).fill(value)

/** Pulls audio in blocks of 5 ms. */
function pullAudio(buffer: JitterBuffer, durationMs: number): number[] {
  const samples: number[] = []
  const block = new Float32Array(BLOCK_SAMPLES)
  for (let count = (durationMs * RATE_HZ) / 1_000; count > 0; count -= BLOCK_SAMPLES) {
    buffer.pull(block, Math.min(BLOCK_SAMPLES, count))
    samples.push(...block)
  }
  return samples
}

function pushAudio(buffer: JitterBuffer, frames: number, startSample = 0): void {
  for (let index = 0; index < frames; index += 1) buffer.push(startSample + index * FRAME_SAMPLES, createFrame(0.5))
}

describe('start', () => {
  test('waits for 60 ms of audio', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 2)
    expect(pullAudio(buffer, 20).some((sample) => sample !== 0)).toBe(false)
    buffer.push(2 * FRAME_SAMPLES, createFrame(0.5))
    expect(pullAudio(buffer, 60).every((sample) => sample === 0.5)).toBe(true)
    expect(buffer.played).toBe(3 * FRAME_SAMPLES)
  })

  test('does not wait forever for more audio', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 1)
    const samples = pullAudio(buffer, 100)
    expect(samples.filter((sample) => sample === 0.5)).toHaveLength(FRAME_SAMPLES)
    expect(samples.indexOf(0.5)).toBe((60 * RATE_HZ) / 1_000)
  })
})

describe('gap', () => {
  test('counts as an underrun and increases the target', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 3)
    pullAudio(buffer, 100)
    pushAudio(buffer, 1, 3 * FRAME_SAMPLES)
    expect([buffer.underruns, buffer.targetMs]).toEqual([1, 80])
  })

  test('of a third of a second counts as a pause of the speaker', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 3)
    pullAudio(buffer, 60 + 305)
    pushAudio(buffer, 3, 3 * FRAME_SAMPLES)
    expect(buffer.underruns).toBe(0)
  })

  test('no longer matters after a long stable phase', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 3)
    pullAudio(buffer, 100)
    pushAudio(buffer, 510, 3 * FRAME_SAMPLES)
    pullAudio(buffer, 10_200)
    expect(buffer.targetMs).toBe(70)
  })

  test('increases the target to at most 200 ms', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    for (let round = 0; round < 20; round += 1) {
      pushAudio(buffer, 1, round * FRAME_SAMPLES)
      pullAudio(buffer, 20 + buffer.targetMs + 50)
    }
    expect(buffer.targetMs).toBe(200)
  })
})

describe('clear', () => {
  test('fades out within 5 ms', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 50)
    pullAudio(buffer, 100)
    buffer.clear()
    const samples = pullAudio(buffer, 50)
    const audible = samples.slice(0, 40)
    expect(audible).toEqual([...audible].sort((left, right) => right - left))
    expect(audible[0]).toBeGreaterThan(0.45)
    expect(samples.slice(40).every((sample) => sample === 0)).toBe(true)
    expect([buffer.buffered, buffer.played]).toEqual([0, 800])
  })

  test('is silent while nothing plays', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 2)
    buffer.clear()
    expect(pullAudio(buffer, 50).every((sample) => sample === 0)).toBe(true)
  })

  test('is followed by audio with its own numbers and no gap', () => {
    const buffer = new JitterBuffer(RATE_HZ)
    pushAudio(buffer, 50)
    pullAudio(buffer, 100)
    buffer.clear()
    pushAudio(buffer, 3, 50 * FRAME_SAMPLES)
    pullAudio(buffer, 100)
    expect([buffer.played, buffer.segmentStart, buffer.underruns]).toEqual([53 * FRAME_SAMPLES, 50 * FRAME_SAMPLES, 0])
  })
})

test('drops samples that were already received', () => {
  const buffer = new JitterBuffer(RATE_HZ)
  pushAudio(buffer, 4)
  pushAudio(buffer, 4)
  buffer.push(3 * FRAME_SAMPLES + 100, createFrame(0.5))
  expect(buffer.buffered).toBe(4 * FRAME_SAMPLES + 100)
})

test('buffers at most 30 seconds', () => {
  const buffer = new JitterBuffer(RATE_HZ)
  pushAudio(buffer, 2_000)
  expect([buffer.buffered, buffer.dropped]).toEqual([240_000, 80_000])
})

test('plays every sample once and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('frame'), fc.constant('block')), { maxLength: 400 }), (steps) => {
      const buffer = new JitterBuffer(RATE_HZ)
      const block = new Float32Array(BLOCK_SAMPLES)
      const playedSamples: number[] = []
      let sent = 0
      const pull = (): void => {
        buffer.pull(block, BLOCK_SAMPLES)
        playedSamples.push(...block.filter((sample) => sample !== 0))
      }
      for (const step of steps) {
        if (step === 'block') pull()
        else {
          buffer.push(
            sent,
            Float32Array.from({ length: FRAME_SAMPLES }, (_, index) => sent + index + 1),
          )
          sent += FRAME_SAMPLES
        }
      }
      for (let extraPull = 0; extraPull < 100 + (steps.length * FRAME_SAMPLES) / BLOCK_SAMPLES; extraPull += 1) pull()
      expect(playedSamples).toEqual(Array.from({ length: sent }, (_, index) => index + 1))
      expect(buffer.played).toBe(sent)
    }),
    { numRuns: 50 },
  )
})
