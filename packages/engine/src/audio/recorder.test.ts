import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Recorder } from './recorder.ts'

const RATE = 8_000
const FRAME = 160

function record(segmentMs = 1_000) {
  const segments: Int16Array[] = []
  const recorder = new Recorder({
    rateHz: RATE,
    segmentMs,
    onSegment: (index, bytes) => {
      expect(index).toBe(segments.length)
      segments.push(new Int16Array(bytes.buffer))
    },
  })
  const channel = (which: 0 | 1): number[] =>
    segments.flatMap((segment) => [...segment]).filter((_, index) => index % 2 === which)
  return { recorder, segments, channel }
}

function constant(count: number, value: number): Int16Array {
  return new Int16Array(count).fill(value)
}

/** Records caller frames from a position on. */
function hear(recorder: ReturnType<typeof record>['recorder'], from: number, frames: number, value = 1): void {
  for (let index = 0; index < frames; index += 1) recorder.caller(constant(FRAME, value), from + index * FRAME)
}

test('aligns both channels, fills gaps with silence and returns segments of equal length except the last', () => {
  const { recorder, segments, channel } = record()
  hear(recorder, 0, 100, 5)
  recorder.agent(constant(400, 7), 1_000)
  hear(recorder, 110 * FRAME, 90, 6)
  recorder.close()
  expect(segments.map((segment) => segment.length / 2)).toEqual([8_000, 8_000, 8_000, 8_000])
  const left = channel(0)
  expect(left.slice(0, 16_000).every((value) => value === 5)).toBe(true)
  expect(left.slice(16_000, 17_600).every((value) => value === 0)).toBe(true)
  expect(left.slice(17_600).every((value) => value === 6)).toBe(true)
  const right = channel(1)
  expect(right.indexOf(7)).toBe(1_000)
  expect(right.lastIndexOf(7)).toBe(1_399)
  expect(right.filter((value) => value === 7)).toHaveLength(400)
})

test('emits a segment two seconds after its end, including late agent audio', () => {
  const { recorder, segments, channel } = record()
  hear(recorder, 0, 149)
  expect(segments).toHaveLength(0)
  recorder.agent(constant(160, 9), 7_900)
  hear(recorder, 149 * FRAME, 1)
  expect(segments).toHaveLength(1)
  // Half of this arrives too late.
  recorder.agent(constant(160, 8), 7_920)
  recorder.close()
  expect(recorder.droppedSamples).toBe(80)
  const right = channel(1)
  expect(right.slice(7_900, 8_000).every((value) => value === 9)).toBe(true)
  expect(right.slice(8_000, 8_080).every((value) => value === 8)).toBe(true)
  expect(right[8_080]).toBe(0)
})

test('replaces agent audio that is repeated after a pause', () => {
  const { recorder, channel } = record()
  hear(recorder, 0, 50)
  recorder.agent(constant(1_000, 3), 500)
  recorder.agent(constant(200, 4), 900)
  recorder.close()
  expect(channel(1).slice(890, 910)).toEqual([...new Array(10).fill(3), ...new Array(10).fill(4)])
  expect(channel(1)[1_100]).toBe(3)
})

test('records agent audio ahead of and without caller audio', () => {
  const { recorder, channel } = record()
  for (let index = 0; index < 500; index += 1) recorder.agent(constant(FRAME, index + 1), index * FRAME)
  recorder.close()
  expect(recorder.totalSamples).toBe(500 * FRAME)
  expect(channel(1)[499 * FRAME]).toBe(500)
  expect(channel(0).every((value) => value === 0)).toBe(true)
})

test('treats a huge clock jump as an error instead of silence', () => {
  const { recorder, segments, channel } = record()
  hear(recorder, 0, 10, 1)
  hear(recorder, 4_000_000_000, 10, 2)
  recorder.agent(constant(10, 3), 4_000_000_000)
  recorder.close()
  expect(segments).toHaveLength(1)
  expect(recorder.totalSamples).toBe(20 * FRAME)
  expect(channel(1).indexOf(3)).toBe(10 * FRAME)
})

test('records nothing after close', () => {
  const { recorder, segments } = record()
  recorder.close()
  hear(recorder, 0, 200)
  recorder.close()
  expect(segments).toEqual([])
})

describe('random writes', () => {
  const write = fc.record({
    isAgent: fc.boolean(),
    /** Relative to the caller clock. */
    offset: fc.integer({ min: -15_000, max: 3_000 }),
    count: fc.integer({ min: 1, max: 900 }),
  })

  test('return every sample written within the window', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 150 }), (writes) => {
        const { recorder, channel, segments } = record(500)
        const wanted: number[][] = [[], []]
        let clock = 0
        let value = 0
        for (const { isAgent, offset, count } of writes) {
          value += 1
          const start = isAgent ? Math.max(0, clock + offset) : clock
          const samples = constant(count, value)
          if (isAgent) recorder.agent(samples, start)
          else recorder.caller(samples, start)
          if (!isAgent) clock += count
          for (let index = 0; index < count; index += 1) {
            const track = wanted[isAgent ? 1 : 0]
            if (track !== undefined) track[start + index] = value
          }
        }
        recorder.close()
        const length = recorder.totalSamples
        expect(segments.slice(0, -1).every((segment) => segment.length === 8_000)).toBe(true)
        for (const side of [0, 1] as const) {
          const track = channel(side)
          expect(track).toHaveLength(length)
          expect(track).toEqual(Array.from({ length }, (_, index) => wanted[side]?.[index] ?? 0))
        }
      }),
      { numRuns: 100 },
    )
  })
})
