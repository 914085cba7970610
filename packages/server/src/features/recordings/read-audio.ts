import type { BlobStore } from '../../kernel/storage/blobs.ts'
import { type RecordingLayout, segmentRanges } from './recording-layout.ts'

const SILENCE = new Uint8Array(64 * 1024)

/** Exactly `length` bytes of a recording's sound from `start` on; what cannot be found is silence. */
export async function* readAudio(
  blobs: Pick<BlobStore, 'read'>,
  layout: RecordingLayout,
  { start, length }: { readonly start: number; readonly length: number },
): AsyncGenerator<Uint8Array> {
  for (const range of segmentRanges(layout, start, length)) {
    let remaining = range.length
    if (range.key !== null) {
      for await (const bytes of blobs.read(range.key, { start: range.start, length: range.length })) {
        remaining -= bytes.length
        yield bytes
      }
    }
    // Missing, or shorter than the others although others follow it.
    for (; remaining > 0; remaining -= Math.min(remaining, SILENCE.length))
      yield SILENCE.subarray(0, Math.min(remaining, SILENCE.length))
  }
}
