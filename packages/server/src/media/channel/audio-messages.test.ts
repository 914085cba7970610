import { createFrameFactory } from '@parley/engine/audio/frame'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameSplitter } from '../web/caller-audio.ts'
import { decodeAudio, encodeAudio, joinAudio, unwrapSample } from './audio-messages.ts'

const samplesArbitrary = fc.int16Array({ minLength: 1, maxLength: 500 })

test('round-trips audio at any memory offset', () => {
  fc.assert(
    fc.property(samplesArbitrary, fc.nat(2 ** 33), fc.nat(3), (frame, startSample, offset) => {
      const bytes = encodeAudio(frame, startSample)
      expect(bytes).toHaveLength(4 + frame.length * 2)
      const shiftedBytes = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset)
      expect(decodeAudio(shiftedBytes, createFrameFactory())).toEqual({
        startSample: startSample % 2 ** 32,
        samples: frame,
      })
    }),
  )
})

test('joins consecutive frames into one message', () => {
  fc.assert(
    fc.property(fc.array(samplesArbitrary, { minLength: 1, maxLength: 20 }), fc.nat(2 ** 33), (frames, startSample) => {
      let nextSample = startSample
      const messages = frames.map((frame) => {
        const message = encodeAudio(frame, nextSample)
        nextSample += frame.length
        return message
      })
      const allSamples = Int16Array.from(frames.flatMap((frame) => [...frame]))
      const joined = decodeAudio(joinAudio(messages), createFrameFactory())
      expect(joined).toEqual({ startSample: startSample % 2 ** 32, samples: allSamples })
    }),
  )
})

test('encodes little-endian', () => {
  expect([...encodeAudio(Int16Array.of(1, -2), 0x01020304)]).toEqual([4, 3, 2, 1, 1, 0, 0xfe, 0xff])
})

test('decodes anything else to null without throwing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      const audio = decodeAudio(Buffer.from(bytes), createFrameFactory())
      expect(audio === null).toBe(bytes.length < 6 || bytes.length % 2 === 1)
    }),
  )
})

test('unwraps sample counts modulo 2^32', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.integer({ min: -1_000_000, max: 1_000_000 }), (expected, distance) => {
      const sample = Math.max(0, expected + distance)
      expect(unwrapSample(sample % 2 ** 32, expected)).toBe(sample)
    }),
  )
})

/** Splits chunks of a signal whose values identify their position. */
function splitChunks(chunks: readonly { readonly start: number; readonly length: number }[]) {
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

test('splits chunks of any size into frames of 20 ms', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 30 }), (lengths) => {
      let start = 0
      const chunks = lengths.map((length) => {
        start += length
        return { start: start - length, length }
      })
      const { frames } = splitChunks(chunks)
      expect(frames).toHaveLength(Math.floor(start / 160))
      for (const [index, { frame, start: frameStart }] of frames.entries()) {
        expect(frameStart).toBe(index * 160)
        expect(frame).toEqual(Int16Array.from({ length: 160 }, (_, offset) => 1 + ((frameStart + offset) % 30_000)))
      }
    }),
  )
})

test('keeps sample positions despite gaps, repetitions and jumps back', () => {
  const chunkArbitrary = fc.record({ start: fc.nat(3_000), length: fc.integer({ min: 1, max: 400 }) })
  fc.assert(
    fc.property(fc.array(chunkArbitrary, { maxLength: 30 }), (chunks) => {
      const { frames } = splitChunks(chunks)
      let end = 0
      for (const { frame, start } of frames) {
        expect(frame).toHaveLength(160)
        expect(start).toBeGreaterThanOrEqual(end)
        end = start + 160
        for (const [offset, value] of frame.entries()) {
          // Lost samples are silence.
          if (value !== 0) expect(value).toBe(1 + ((start + offset) % 30_000))
        }
      }
    }),
  )
})
