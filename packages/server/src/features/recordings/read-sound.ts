import type { BlobStore } from '../../kernel/storage/blobs.ts'
import { piecesOf, type RecordingLayout } from './recording-layout.ts'

const SILENCE = new Uint8Array(64 * 1024)

/** Exactly `length` bytes of a recording's sound from `start` on; what cannot be found is silence. */
export async function* readSound(
  blobs: Pick<BlobStore, 'read'>,
  layout: RecordingLayout,
  { start, length }: { readonly start: number; readonly length: number },
): AsyncGenerator<Uint8Array> {
  for (const piece of piecesOf(layout, start, length)) {
    let left = piece.length
    if (piece.key !== null) {
      for await (const bytes of blobs.read(piece.key, { start: piece.start, length: piece.length })) {
        left -= bytes.length
        yield bytes
      }
    }
    // Missing, or shorter than the others although others follow it.
    for (; left > 0; left -= Math.min(left, SILENCE.length)) yield SILENCE.subarray(0, Math.min(left, SILENCE.length))
  }
}
