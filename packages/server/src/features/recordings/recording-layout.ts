import type { BlobEntry } from '../../kernel/storage/blobs.ts'

/** How the sound of a call lies in its segments. A segment's key says all that is needed to read it, whatever came after it. */
export interface RecordingLayout {
  readonly rateHz: number
  /** Of every segment but the last. */
  readonly segmentBytes: number
  /** Of all sound: interleaved 16-bit samples, left the caller, right the agent. */
  readonly dataBytes: number
  readonly segments: ReadonlyMap<number, BlobEntry>
}

/** Bytes of a sample of both sides. */
export const FRAME_BYTES = 4
const INDEX_DIGITS = 6
const SEGMENT = /\/(\d{6,9})-(\d{4,5})hz-(\d{1,6})ms\.pcm$/

/** Everything that is kept of the sound of a call lies under this prefix. */
export function prefixOf(callId: string): string {
  return `recordings/${callId}/`
}

/** Where segment `index` of a call lies. */
export function segmentKey(callId: string, index: number, { rateHz, segmentMs }: SegmentForm): string {
  return `${prefixOf(callId)}${String(index).padStart(INDEX_DIGITS, '0')}-${rateHz}hz-${segmentMs}ms.pcm`
}

export interface SegmentForm {
  readonly rateHz: number
  readonly segmentMs: number
}

/** Reads a list of blobs as a recording; `null` when none of them is a segment. Segments that are missing are silence. */
export function readLayout(entries: readonly BlobEntry[]): RecordingLayout | null {
  const segments = new Map<number, BlobEntry>()
  let rateHz = 0
  let segmentBytes = 0
  let dataBytes = 0
  for (const entry of entries) {
    const match = SEGMENT.exec(entry.key)
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

/** How long the sound is. */
export function durationMsOf({ dataBytes, rateHz }: RecordingLayout): number {
  return Math.round((dataBytes / FRAME_BYTES / rateHz) * 1000)
}

/** Part of one segment. `key` `null`: it is missing, and its bytes are zero. */
export interface SegmentRange {
  readonly key: string | null
  readonly start: number
  readonly length: number
}

/** The pieces that make up `length` bytes of the sound from `start` on, in order. */
export function* segmentRanges(layout: RecordingLayout, start: number, length: number): Generator<SegmentRange> {
  const end = Math.min(start + length, layout.dataBytes)
  for (let at = start; at < end; ) {
    const index = Math.floor(at / layout.segmentBytes)
    const from = at - index * layout.segmentBytes
    const size = Math.min(layout.segmentBytes - from, end - at)
    yield { key: layout.segments.get(index)?.key ?? null, start: from, length: size }
    at += size
  }
}
