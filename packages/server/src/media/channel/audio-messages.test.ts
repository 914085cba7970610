import { createFrameFactory } from '@parley/engine/audio/frame'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameSplitter } from '../frame-splitter.ts'
import { decodeAudio, encodeAudio, joinAudio, unwrapSample } from './audio-messages.ts'

const samples = fc.int16Array({ minLength: 1, maxLength: 500 })

test('what is encoded is decoded, wherever it lies in memory', () => {
  fc.assert(
    fc.property(samples, fc.nat(2 ** 33), fc.nat(3), (frame, startSample, offset) => {
      const bytes = encodeAudio(frame, startSample)
      expect(bytes).toHaveLength(4 + frame.length * 2)
      const moved = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset)
      expect(decodeAudio(moved, createFrameFactory())).toEqual({ startSample: startSample % 2 ** 32, samples: frame })
    }),
  )
})

test('frames that follow on each other are one message', () => {
  fc.assert(
    fc.property(fc.array(samples, { minLength: 1, maxLength: 20 }), fc.nat(2 ** 33), (frames, startSample) => {
      let from = startSample
      const messages = frames.map((frame) => {
        const message = encodeAudio(frame, from)
        from += frame.length
        return message
      })
      const whole = Int16Array.from(frames.flatMap((frame) => [...frame]))
      const joined = decodeAudio(joinAudio(messages), createFrameFactory())
      expect(joined).toEqual({ startSample: startSample % 2 ** 32, samples: whole })
    }),
  )
})

test('bytes are little endian, as the protocol says', () => {
  expect([...encodeAudio(Int16Array.of(1, -2), 0x01020304)]).toEqual([4, 3, 2, 1, 1, 0, 0xfe, 0xff])
})

test('anything else is no audio, and never an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      const audio = decodeAudio(Buffer.from(bytes), createFrameFactory())
      expect(audio === null).toBe(bytes.length < 6 || bytes.length % 2 === 1)
    }),
  )
})

test('counts modulo 2^32 are found again', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.integer({ min: -1_000_000, max: 1_000_000 }), (expected, distance) => {
      const sample = Math.max(0, expected + distance)
      expect(unwrapSample(sample % 2 ** 32, expected)).toBe(sample)
    }),
  )
})

/** Cuts pieces of a known signal; the value of each sample tells its number. */
function cut(chunks: readonly { readonly start: number; readonly length: number }[]) {
  const frames: { readonly start: number; readonly frame: Int16Array }[] = []
  const splitter = createFrameSplitter(8_000, (frame, start) => frames.push({ frame, start }))
  for (const { start, length } of chunks) {
    splitter.push(
      Int16Array.from({ length }, (_, index) => 1 + ((start + index) % 30_000)),
      start,
    )
  }
  return { frames, expectedSample: splitter.expectedSample }
}

test('frames of any size become frames of 20 ms', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 30 }), (lengths) => {
      let start = 0
      const chunks = lengths.map((length) => {
        start += length
        return { start: start - length, length }
      })
      const { frames } = cut(chunks)
      expect(frames).toHaveLength(Math.floor(start / 160))
      for (const [index, { frame, start: at }] of frames.entries()) {
        expect(at).toBe(index * 160)
        expect(frame).toEqual(Int16Array.from({ length: 160 }, (_, offset) => 1 + ((at + offset) % 30_000)))
      }
    }),
  )
})

test('gaps, repetitions and steps back never shift a sample, and frames never overlap', () => {
  const piece = fc.record({ start: fc.nat(3_000), length: fc.integer({ min: 1, max: 400 }) })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (chunks) => {
      const { frames } = cut(chunks)
      let end = 0
      for (const { frame, start } of frames) {
        expect(frame).toHaveLength(160)
        expect(start).toBeGreaterThanOrEqual(end)
        end = start + 160
        for (const [offset, value] of frame.entries()) {
          // Silence where it was lost; otherwise the sample of this number.
          if (value !== 0) expect(value).toBe(1 + ((start + offset) % 30_000))
        }
      }
    }),
  )
})
