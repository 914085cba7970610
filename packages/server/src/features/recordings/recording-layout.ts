import type { BlobEntry } from '../../kernel/storage/blobs.ts'

/**
 * The layout of a call's audio. The key of each segment contains all data needed to locate the segment in the recording.
 */
export interface RecordingLayout {
  readonly rateHz: number
  /** Size of every segment except the last. */
  readonly segmentBytes: number
  /** Total size of the audio: interleaved 16-bit samples of the caller (left) and the agent (right). */
  readonly dataBytes: number
  readonly segments: ReadonlyMap<number, BlobEntry>
}

/** Bytes of a stereo sample. */
export const FRAME_BYTES = 4
const INDEX_DIGITS = 6
const SEGMENT_KEY_PATTERN = /\/(\d{6,9})-(\d{4,5})hz-(\d{1,6})ms\.pcm$/

/** Returns the key prefix of a call's stored audio. */
export function getRecordingPrefix(callId: string): string {
  return `recordings/${callId}/`
}

/** Formats the key of segment `index` of a call. */
export function formatSegmentKey(callId: string, index: number, { rateHz, segmentMs }: SegmentFormat): string {
  return `${getRecordingPrefix(callId)}${String(index).padStart(INDEX_DIGITS, '0')}-${rateHz}hz-${segmentMs}ms.pcm`
}

interface SegmentFormat {
  readonly rateHz: number
  readonly segmentMs: number
}

/** Parses the layout from a call's blobs. Returns null if there are no segments. Missing segments are silent. */
export function parseLayout(entries: readonly BlobEntry[]): RecordingLayout | null {
  const segments = new Map<number, BlobEntry>()
  let rateHz = 0
  let segmentBytes = 0
  let dataBytes = 0
  for (const entry of entries) {
    const match = SEGMENT_KEY_PATTERN.exec(entry.key)
    if (match === null) continue
    const index = Number(match[1])
    rateHz = Number(match[2])
    segmentBytes = Math.round((rateHz * Number(match[3])) / 1000) * FRAME_BYTES
    const sizeBytes = Math.min(segmentBytes, entry.sizeBytes - (entry.sizeBytes % FRAME_BYTES))
    segments.set(index, entry)
    dataBytes = Math.max(dataBytes, index * segmentBytes + sizeBytes)
  }
  return segments.size === 0 ? null : { rateHz, segmentBytes, dataBytes, segments }
}

export function computeDurationMs({ dataBytes, rateHz }: RecordingLayout): number {
  return Math.round((dataBytes / FRAME_BYTES / rateHz) * 1000)
}

/** A part of one segment. A null `key` means that the segment is missing and its audio is silent. */
interface SegmentRange {
  readonly key: string | null
  readonly start: number
  readonly length: number
}

/** Splits `length` bytes of audio from `start` into segment ranges, in order. */
export function* splitIntoSegments(layout: RecordingLayout, start: number, length: number): Generator<SegmentRange> {
  const end = Math.min(start + length, layout.dataBytes)
  for (let position = start; position < end; ) {
    const index = Math.floor(position / layout.segmentBytes)
    const offset = position - index * layout.segmentBytes
    const sizeBytes = Math.min(layout.segmentBytes - offset, end - position)
    yield { key: layout.segments.get(index)?.key ?? null, start: offset, length: sizeBytes }
    position += sizeBytes
  }
}
