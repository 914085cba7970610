import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeAudioFrame, encodeAudioFrame, unwrapSampleNumber } from './audio-frame.ts'

test('a frame comes out as it went in', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), fc.int16Array({ minLength: 1, maxLength: 320 }), (startSample, samples) => {
      expect(decodeAudioFrame(encodeAudioFrame(startSample, samples))).toEqual({ startSample, samples })
    }),
  )
})

test('little endian, the number first', () => {
  expect([...new Uint8Array(encodeAudioFrame(2 ** 32 + 258, Int16Array.of(1, -2)))]).toEqual([
    2, 1, 0, 0, 1, 0, 254, 255,
  ])
})

test.each([0, 3, 4, 5, 7])('%i bytes are no frame', (length) => {
  expect(decodeAudioFrame(new ArrayBuffer(length))).toBeNull()
})

test('numbers count on where the wire begins anew', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 45), fc.integer({ min: -1_000_000, max: 1_000_000 }), (near, distance) => {
      const number = near + distance
      fc.pre(number >= 0)
      expect(unwrapSampleNumber(number % 2 ** 32, near)).toBe(number)
    }),
  )
})
