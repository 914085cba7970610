import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Recorder } from './recorder.ts'

const RATE = 8_000
const FRAME = 160

function createTestRecorder(segmentMs = 1_000) {
  const segments: Int16Array[] = []
  const recorder = new Recorder({
    rateHz: RATE,
    segmentMs,
    onSegment: (index, bytes) => {
      expect(index).toBe(segments.length)
      segments.push(new Int16Array(bytes.buffer))
    },
  })
  const getChannel = (channelIndex: 0 | 1): number[] =>
    segments.flatMap((segment) => [...segment]).filter((_, index) => index % 2 === channelIndex)
  return { recorder, segments, channel: getChannel }
}

function createConstantAudio(count: number, value: number): Int16Array {
  return new Int16Array(count).fill(value)
}

/** Records caller frames from this sample on. */
function recordCallerFrames(
  recorder: ReturnType<typeof createTestRecorder>['recorder'],
  from: number,
  frames: number,
  value = 1,
): void {
  for (let index = 0; index < frames; index += 1)
    recorder.recordCaller(createConstantAudio(FRAME, value), from + index * FRAME)
}

test('aligns both channels, fills gaps with silence and returns segments of equal length except the last', () => {
  const { recorder, segments, channel } = createTestRecorder()
  recordCallerFrames(recorder, 0, 100, 5)
  recorder.recordAgent(createConstantAudio(400, 7), 1_000)
  recordCallerFrames(recorder, 110 * FRAME, 90, 6)
  recorder.close()
  expect(segments.map((segment) => segment.length / 2)).toEqual([8_000, 8_000, 8_000, 8_000])
  const callerSamples = channel(0)
  expect(callerSamples.slice(0, 16_000).every((value) => value === 5)).toBe(true)
  expect(callerSamples.slice(16_000, 17_600).every((value) => value === 0)).toBe(true)
  expect(callerSamples.slice(17_600).every((value) => value === 6)).toBe(true)
  const agentSamples = channel(1)
  expect(agentSamples.indexOf(7)).toBe(1_000)
  expect(agentSamples.lastIndexOf(7)).toBe(1_399)
  expect(agentSamples.filter((value) => value === 7)).toHaveLength(400)
})

test('emits a segment two seconds after its end, including late agent audio', () => {
  const { recorder, segments, channel } = createTestRecorder()
  recordCallerFrames(recorder, 0, 149)
  expect(segments).toHaveLength(0)
  recorder.recordAgent(createConstantAudio(160, 9), 7_900)
  recordCallerFrames(recorder, 149 * FRAME, 1)
  expect(segments).toHaveLength(1)
  // Half of this arrives too late.
  recorder.recordAgent(createConstantAudio(160, 8), 7_920)
  recorder.close()
  expect(recorder.droppedSamples).toBe(80)
  const agentSamples = channel(1)
  expect(agentSamples.slice(7_900, 8_000).every((value) => value === 9)).toBe(true)
  expect(agentSamples.slice(8_000, 8_080).every((value) => value === 8)).toBe(true)
  expect(agentSamples[8_080]).toBe(0)
})

test('replaces agent audio that is repeated after a pause', () => {
  const { recorder, channel } = createTestRecorder()
  recordCallerFrames(recorder, 0, 50)
  recorder.recordAgent(createConstantAudio(1_000, 3), 500)
  recorder.recordAgent(createConstantAudio(200, 4), 900)
  recorder.close()
  expect(channel(1).slice(890, 910)).toEqual([...new Array(10).fill(3), ...new Array(10).fill(4)])
  expect(channel(1)[1_100]).toBe(3)
})

test('records agent audio ahead of and without caller audio', () => {
  const { recorder, channel } = createTestRecorder()
  for (let index = 0; index < 500; index += 1)
    recorder.recordAgent(createConstantAudio(FRAME, index + 1), index * FRAME)
  recorder.close()
  expect(recorder.totalSamples).toBe(500 * FRAME)
  expect(channel(1)[499 * FRAME]).toBe(500)
  expect(channel(0).every((value) => value === 0)).toBe(true)
})

test('treats a huge clock jump as an error instead of silence', () => {
  const { recorder, segments, channel } = createTestRecorder()
  recordCallerFrames(recorder, 0, 10, 1)
  recordCallerFrames(recorder, 4_000_000_000, 10, 2)
  recorder.recordAgent(createConstantAudio(10, 3), 4_000_000_000)
  recorder.close()
  expect(segments).toHaveLength(1)
  expect(recorder.totalSamples).toBe(20 * FRAME)
  expect(channel(1).indexOf(3)).toBe(10 * FRAME)
})

test('records nothing after close', () => {
  const { recorder, segments } = createTestRecorder()
  recorder.close()
  recordCallerFrames(recorder, 0, 200)
  recorder.close()
  expect(segments).toEqual([])
})

describe('random writes', () => {
  const writeArbitrary = fc.record({
    isAgent: fc.boolean(),
    /** Offset from the caller clock. */
    offset: fc.integer({ min: -15_000, max: 3_000 }),
    count: fc.integer({ min: 1, max: 900 }),
  })

  test('keep every sample that was written in time', () => {
    fc.assert(
      fc.property(fc.array(writeArbitrary, { minLength: 1, maxLength: 150 }), (writes) => {
        const { recorder, channel, segments } = createTestRecorder(500)
        const expectedTracks: number[][] = [[], []]
        let clock = 0
        let value = 0
        for (const { isAgent, offset, count } of writes) {
          value += 1
          const start = isAgent ? Math.max(0, clock + offset) : clock
          const samples = createConstantAudio(count, value)
          if (isAgent) recorder.recordAgent(samples, start)
          else recorder.recordCaller(samples, start)
          if (!isAgent) clock += count
          for (let index = 0; index < count; index += 1) {
            const track = expectedTracks[isAgent ? 1 : 0]
            if (track !== undefined) track[start + index] = value
          }
        }
        recorder.close()
        const length = recorder.totalSamples
        expect(segments.slice(0, -1).every((segment) => segment.length === 8_000)).toBe(true)
        for (const channelIndex of [0, 1] as const) {
          const track = channel(channelIndex)
          expect(track).toHaveLength(length)
          expect(track).toEqual(Array.from({ length }, (_, index) => expectedTracks[channelIndex]?.[index] ?? 0))
        }
      }),
      { numRuns: 100 },
    )
  })
})
