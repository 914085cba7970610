import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallRecorders } from './call-recorders.ts'
import { formatSegmentKey, parseLayout } from './recording-layout.ts'
import { createMemoryBlobs } from './recordings-test-kit.ts'
import { createSegmentQueue } from './segment-queue.ts'
import { openWavFile, type RecordingChannel } from './wav-file.ts'

const SEGMENT_FORMAT = { rateHz: 8_000, segmentMs: 50 }
const SEGMENT_BYTES = 400 * 4

async function readBytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source))
}

test('any range of the file has the right content, even with missing segments', async () => {
  const segmentArbitrary = fc.option(fc.integer({ min: 0, max: 400 }), { freq: 4 })
  const channelArbitrary = fc.constantFrom<RecordingChannel[]>('stereo', 'mixed', 'caller', 'agent')
  const rangesArbitrary = fc.array(fc.tuple(fc.nat(6_000), fc.nat(6_000)), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(segmentArbitrary, { minLength: 1, maxLength: 4 }),
      channelArbitrary,
      rangesArbitrary,
      async (lengths, channel, ranges) => {
        const { blobs } = createMemoryBlobs()
        for (const [index, samples] of lengths.entries()) {
          if (samples === null) continue
          const isLast = lengths.slice(index + 1).every((length) => length === null)
          const bytes = Buffer.alloc(isLast ? samples * 4 : SEGMENT_BYTES, `${index}abcdefg`)
          await blobs.put(formatSegmentKey('call_x', index, SEGMENT_FORMAT), bytes)
        }
        const layout = parseLayout(await blobs.list('recordings/call_x/'))
        if (layout === null) return
        const file = openWavFile(blobs, layout, channel)
        const fileBytes = await readBytes(file.read(0, file.sizeBytes))
        expect(fileBytes).toHaveLength(file.sizeBytes)
        for (const [start, length] of ranges) {
          const rangeBytes = await readBytes(file.read(start, length))
          expect(rangeBytes.equals(fileBytes.subarray(start, start + length))).toBe(true)
        }
      },
    ),
    { numRuns: 100 },
  )
})

test('ignores files that are not segments', () => {
  expect(parseLayout([])).toBeNull()
  expect(parseLayout([{ key: 'recordings/call_x/peaks.json', sizeBytes: 9 }])).toBeNull()
  const remainder = { key: formatSegmentKey('call_x', 1, SEGMENT_FORMAT), sizeBytes: 7 }
  expect(parseLayout([remainder])).toMatchObject({
    rateHz: 8_000,
    segmentBytes: SEGMENT_BYTES,
    dataBytes: SEGMENT_BYTES + 4,
  })
})

test('a disk failure is reported once, loses only unstored audio and never blocks the call', async () => {
  const time = createManualClock()
  const errors: unknown[] = []
  const problems: string[] = []
  let isBroken = true
  const { blobs, byKey } = createMemoryBlobs(() => isBroken)
  const queue = createSegmentQueue({ blobs, clock: time.clock, logError: (_name, error) => errors.push(error) })
  const logError = (_name: string, error: unknown) => expect(error).toBeNull()
  const recorder = createCallRecorders({ queue, removeLateAudio: async () => undefined, logError }).open({
    callId: 'call_x',
    rateHz: 8_000,
    onProblem: (message) => problems.push(message),
  })
  const recordSeconds = (fromSeconds: number, toSeconds: number) => {
    for (let second = fromSeconds; second < toSeconds; second += 1)
      recorder.recordCaller(new Int16Array(8_000).fill(1), second * 8_000)
  }
  recordSeconds(0, 20)
  await time.advance(7_500)
  expect(problems).toEqual(['Part of the recording could not be stored and is silent.'])
  isBroken = false
  recordSeconds(20, 31)
  await recorder.close()
  expect(problems).toHaveLength(1)
  expect(errors).toHaveLength(1)
  const layout = parseLayout(await blobs.list('recordings/call_x/'))
  expect(layout?.dataBytes).toBe(31 * 8_000 * 4)
  expect(byKey.size).toBeGreaterThanOrEqual(3)
  expect(time.countPendingTimers()).toBe(0)
})

test('a short failure loses no audio, and the size of pending audio is limited', async () => {
  const time = createManualClock()
  let isBroken = true
  const { blobs, byKey } = createMemoryBlobs(() => isBroken)
  const queue = createSegmentQueue({ blobs, clock: time.clock, logError: () => undefined, maxBytes: 1_000 })
  const pendingWrites = ['a', 'b', 'c', 'd'].map((key) => queue.add(key, new Uint8Array(300)))
  await flushPromises()
  isBroken = false
  await time.advance(500)
  expect(await Promise.all(pendingWrites)).toEqual([true, true, true, false])
  expect([...byKey.keys()].sort()).toEqual(['a', 'b', 'c'])
})
