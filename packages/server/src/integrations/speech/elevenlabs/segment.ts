import type { TimedWord } from '@parley/engine/voice/ports'

/** Audio that is committed together. Positions count the session's samples. */
export interface Segment {
  readonly startSample: number
  readonly endSample: number
  readonly voiceStartSample: number | null
}

/**
 * Makes word times relative to the start of the segment's voice. The vendor counts them from the start of the connection or
 * of the segment; the start that puts the first word closer to the voice is used.
 */
export function toVoiceTimes(
  words: readonly TimedWord[],
  { startSample, voiceStartSample }: Segment,
  { rateHz, connectionStartSample }: { readonly rateHz: number; readonly connectionStartSample: number },
): readonly TimedWord[] {
  const [firstWord] = words
  if (firstWord === undefined) return []
  const toMs = (sample: number): number => (sample * 1_000) / rateHz
  const connectionStartMs = toMs(connectionStartSample)
  const segmentStartMs = toMs(Math.max(startSample, connectionStartSample))
  const voiceStartMs = toMs(voiceStartSample ?? startSample)
  const getDistance = (originMs: number): number => Math.abs(originMs + firstWord.startMs - voiceStartMs)
  const originMs = getDistance(segmentStartMs) < getDistance(connectionStartMs) ? segmentStartMs : connectionStartMs
  const toOffset = (timeMs: number): number => Math.max(0, Math.round(originMs + timeMs - voiceStartMs))
  return words.map(({ text, startMs, endMs }) => ({ text, startMs: toOffset(startMs), endMs: toOffset(endMs) }))
}
