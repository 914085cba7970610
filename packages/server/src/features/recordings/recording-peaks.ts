import { RecordingPeaks } from '@parley/contract/call-recording'
import { createPeaks } from '@parley/engine/audio/peaks'
import type { BlobStore } from '../../kernel/storage/blobs.ts'
import { readAudio } from './read-audio.ts'
import { durationMsOf, FRAME_BYTES, prefixOf, type RecordingLayout } from './recording-layout.ts'

const CHANNELS = 2
/** Enough for any screen: long calls have fewer pairs a second. */
const MAX_PAIRS = 6_000
const STEPS_PER_SECOND = [50, 20, 10, 5, 2]
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** The outline of a recording, read from all of its sound. */
export async function computePeaks(blobs: Pick<BlobStore, 'read'>, layout: RecordingLayout): Promise<RecordingPeaks> {
  const durationMs = durationMsOf(layout)
  const perSecond = STEPS_PER_SECOND.find((step) => (step * durationMs) / 1000 <= MAX_PAIRS) ?? 1
  const peaks = createPeaks({ rateHz: layout.rateHz, channels: CHANNELS, perSecond })
  let remainder: Uint8Array = new Uint8Array(0)
  for await (const chunk of readAudio(blobs, layout, { start: 0, length: layout.dataBytes })) {
    const bytes = remainder.length === 0 ? chunk : Buffer.concat([remainder, chunk])
    const whole = bytes.length - (bytes.length % FRAME_BYTES)
    peaks.push(toSamples(bytes.subarray(0, whole)))
    remainder = bytes.slice(whole)
  }
  const [caller = new Int16Array(0), agent = new Int16Array(0)] = peaks.finish()
  return { channels: CHANNELS, perSecond, durationMs, peaks: [[...caller], [...agent]] }
}

/** A copy: bytes of a file may begin at an odd address. */
function toSamples(bytes: Uint8Array): Int16Array {
  const copy = Buffer.from(new Uint8Array(bytes).buffer)
  if (!IS_LITTLE_ENDIAN) copy.swap16()
  return new Int16Array(copy.buffer, copy.byteOffset, bytes.length / Int16Array.BYTES_PER_ELEMENT)
}

/** Reads the outline that was kept with a recording; `null` without one that can be used. */
export async function readStoredPeaks(blobs: Pick<BlobStore, 'read'>, callId: string): Promise<RecordingPeaks | null> {
  const bytes = Buffer.concat(await Array.fromAsync(blobs.read(keyOf(callId))))
  if (bytes.length === 0) return null
  try {
    const { success, data } = RecordingPeaks.safeParse(JSON.parse(bytes.toString()))
    return success ? data : null
  } catch {
    return null
  }
}

export async function storePeaks(blobs: Pick<BlobStore, 'put'>, callId: string, peaks: RecordingPeaks): Promise<void> {
  await blobs.put(keyOf(callId), Buffer.from(JSON.stringify(peaks)))
}

function keyOf(callId: string): string {
  return `${prefixOf(callId)}peaks.json`
}
