/** Judges calls by what the caller hears. All times are in milliseconds from the start of the call. */

/** Length of a step of the trace. */
export const STEP_MS = 10

/** What a caller heard, in steps of 10 ms. */
export interface HeardTrace {
  /**
   * Volume of the agent's audio relative to full volume, from 0 to 1; 0 if no audio played. Pauses inside the agent's speech
   * count as played, because nobody took them away.
   */
  readonly gains: number[]
  /** Level of the audio before the volume was applied. */
  readonly levelsDb: number[]
}

/** A stretch of time. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

/** Volume below which the agent counts as inaudible: 20 dB below normal. */
const INAUDIBLE_GAIN = 10 ** (-20 / 20)
/** Volume 3 dB below normal. */
const LOWERED_GAIN = 10 ** (-3 / 20)
/** Level above which audio is speech. */
const SPEECH_DB = -50
/** Inaudible time up to this length is no gap. */
const MAX_UNNOTICED_MS = 100
/** Time for which an agent that yielded stays silent at least. */
const MIN_YIELD_MS = 300
/** The agent also stays silent until this time after the end of the caller's speech. */
const YIELD_AFTER_SPEECH_MS = 200

const toStep = (timeMs: number): number => Math.max(0, Math.round(timeMs / STEP_MS))

/** Returns the stretches within a span in which the volume is below `gain`. */
function listBelow({ gains }: HeardTrace, { startMs, endMs }: Span, gain: number): Span[] {
  const spans: Span[] = []
  const last = Math.min(gains.length, toStep(endMs))
  let start: number | null = null
  for (let step = toStep(startMs); step <= last; step += 1) {
    const isBelow = step < last && (gains[step] ?? 0) < gain
    if (isBelow) start ??= step
    else if (start !== null) {
      spans.push({ startMs: start * STEP_MS, endMs: step * STEP_MS })
      start = null
    }
  }
  return spans
}

/** Returns the audible gaps in the agent's speech within a span in which it should speak. */
export function findGaps(trace: HeardTrace, span: Span): Span[] {
  return listBelow(trace, span, INAUDIBLE_GAIN).filter(({ startMs, endMs }) => endMs - startMs > MAX_UNNOTICED_MS)
}

/** Returns how long the agent was more than 3 dB below its normal volume within a span in which it should speak. */
export function measureLoweredMs(trace: HeardTrace, span: Span): number {
  return listBelow(trace, span, LOWERED_GAIN).reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
}

/**
 * Returns the time from the start of the caller's speech until the agent was inaudible and stayed so until the caller had
 * finished. Returns null if the agent did not yield before `untilMs`.
 */
export function measureYieldMs(trace: HeardTrace, speech: Span, untilMs: number): number | null {
  const silence = listBelow(trace, { startMs: speech.startMs, endMs: untilMs }, INAUDIBLE_GAIN).find(
    ({ startMs, endMs }) => endMs - startMs >= MIN_YIELD_MS && endMs >= speech.endMs + YIELD_AFTER_SPEECH_MS,
  )
  return silence === undefined ? null : silence.startMs - speech.startMs
}

/** Whether the agent was still silent at the end of a span, for at least half a second. */
export function isSilentAtEnd(trace: HeardTrace, { startMs, endMs }: Span): boolean {
  const lastMs = Math.min(endMs, trace.gains.length * STEP_MS)
  const silence = listBelow(trace, { startMs, endMs: lastMs }, INAUDIBLE_GAIN).at(-1)
  return silence !== undefined && silence.endMs === lastMs && silence.endMs - silence.startMs >= 500
}

/** Returns the first time within a span at which the agent's speech was audible, or null. */
export function findSpeech({ gains, levelsDb }: HeardTrace, { startMs, endMs }: Span): number | null {
  const last = Math.min(gains.length, toStep(endMs))
  for (let step = toStep(startMs); step < last; step += 1) {
    const gain = gains[step] ?? 0
    if (gain >= INAUDIBLE_GAIN && (levelsDb[step] ?? -180) + 20 * Math.log10(gain) >= SPEECH_DB) return step * STEP_MS
  }
  return null
}
