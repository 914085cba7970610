import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallRecorders } from './call-recorders.ts'
import { formatSegmentKey, readLayout } from './recording-layout.ts'
import { createMemoryBlobs } from './recordings-test-kit.ts'
import { createSegmentQueue } from './segment-queue.ts'
import { openWavFile, type RecordingChannel } from './wav-file.ts'

const FORM = { rateHz: 8_000, segmentMs: 50 }
const SEGMENT_BYTES = 400 * 4

async function buildBytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source))
}

test('any range of the file has the right content, whatever is missing', async () => {
  const segment = fc.option(fc.integer({ min: 0, max: 400 }), { freq: 4 })
  const channel = fc.constantFrom<RecordingChannel[]>('stereo', 'mixed', 'caller', 'agent')
  const ranges = fc.array(fc.tuple(fc.nat(6_000), fc.nat(6_000)), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      channel,
      ranges,
      async (lengths, side, asked) => {
        const { blobs } = createMemoryBlobs()
        for (const [index, samples] of lengths.entries()) {
          if (samples === null) continue
          const isLast = lengths.slice(index + 1).every((length) => length === null)
          const bytes = Buffer.alloc(isLast ? samples * 4 : SEGMENT_BYTES, `${index}abcdefg`)
          await blobs.put(formatSegmentKey('call_x', index, FORM), bytes)
        }
        const layout = readLayout(await blobs.list('recordings/call_x/'))
        if (layout === null) return
        const file = openWavFile(blobs, layout, side)
        const whole = await buildBytes(file.read(0, file.sizeBytes))
        expect(whole).toHaveLength(file.sizeBytes)
        for (const [start, length] of asked) {
          const part = await buildBytes(file.read(start, length))
          expect(part.equals(whole.subarray(start, start + length))).toBe(true)
        }
      },
    ),
    { numRuns: 100 },
  )
})

test('ignores files that are not segments', () => {
  expect(readLayout([])).toBeNull()
  expect(readLayout([{ key: 'recordings/call_x/peaks.json', sizeBytes: 9 }])).toBeNull()
  const remainder = { key: formatSegmentKey('call_x', 1, FORM), sizeBytes: 7 }
  expect(readLayout([remainder])).toMatchObject({
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
  const recorder = createCallRecorders({ queue, removeUnretained: async () => undefined, logError }).open({
    callId: 'call_x',
    rateHz: 8_000,
    onProblem: (message) => problems.push(message),
  })
  const feed = (fromSeconds: number, toSeconds: number) => {
    for (let second = fromSeconds; second < toSeconds; second += 1)
      recorder.recordCaller(new Int16Array(8_000).fill(1), second * 8_000)
  }
  feed(0, 20)
  await time.advance(7_500)
  expect(problems).toEqual(['Part of the recording could not be stored and is silent.'])
  isBroken = false
  feed(20, 31)
  await recorder.close()
  expect(problems).toHaveLength(1)
  expect(errors).toHaveLength(1)
  const layout = readLayout(await blobs.list('recordings/call_x/'))
  expect(layout?.dataBytes).toBe(31 * 8_000 * 4)
  expect(byKey.size).toBeGreaterThanOrEqual(3)
  expect(time.pendingTimers()).toBe(0)
})

test('a short failure loses nothing, and pending audio is bounded', async () => {
  const time = createManualClock()
  let isBroken = true
  const { blobs, byKey } = createMemoryBlobs(() => isBroken)
  const queue = createSegmentQueue({ blobs, clock: time.clock, logError: () => undefined, maxBytes: 1_000 })
  const kept = ['a', 'b', 'c', 'd'].map((key) => queue.add(key, new Uint8Array(300)))
  await flushPromises()
  isBroken = false
  await time.advance(500)
  expect(await Promise.all(kept)).toEqual([true, true, true, false])
  expect([...byKey.keys()].sort()).toEqual(['a', 'b', 'c'])
})
