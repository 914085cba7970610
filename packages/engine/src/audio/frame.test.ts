import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameFactory } from './frame.ts'

test('frames are silent, as long as was asked for, and nobody writes into those of others', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { maxLength: 60 }), (lengths) => {
      const newFrame = createFrameFactory()
      const frames = lengths.map((length, index) => {
        const frame = newFrame(length)
        expect([frame.length, frame.every((sample) => sample === 0)]).toEqual([length, true])
        return frame.fill(index + 1)
      })
      for (const [index, frame] of frames.entries()) expect(frame.every((sample) => sample === index + 1)).toBe(true)
    }),
  )
})
