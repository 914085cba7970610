import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameFactory } from './frame.ts'

test('returns zeroed frames of the requested length that do not overlap', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { maxLength: 60 }), (lengths) => {
      const createFrame = createFrameFactory()
      const frames = lengths.map((length, index) => {
        const frame = createFrame(length)
        expect([frame.length, frame.every((sample) => sample === 0)]).toEqual([length, true])
        return frame.fill(index + 1)
      })
      for (const [index, frame] of frames.entries()) expect(frame.every((sample) => sample === index + 1)).toBe(true)
    }),
  )
})
