/** Ears that tell what they hear only when the caller has stopped. */
const SLOW_EARS_MS = 700
const UNEXPLAINED_MS = 5_000
/** Slow ears hear this much at once; longer voice is noise. */
const LONGEST_VOICE_MS = 30_000
/** Slow ears are asked again when a quarter has come to what they heard: after so long there were words in most sentences of 30 s. */
const RAREST_WORDS_MS = 12_000
const MARGIN_MS = 500

export interface UnexplainedVoice {
  readonly sinceMs: number
  readonly isOn: boolean
  readonly lastVoiceAtMs: number
  readonly recogniserP99Ms: number
  /** When other ears began to hear it once more; `null`: they did not. */
  readonly heardAgainAtMs: number | null
}

/** From when on voice that no text explains counts as noise. */
export function noiseAtMs(voice: UnexplainedVoice): number {
  const { sinceMs, isOn, lastVoiceAtMs, recogniserP99Ms, heardAgainAtMs } = voice
  if (isOn) return sinceMs + (hasSlowEars(recogniserP99Ms) ? LONGEST_VOICE_MS : UNEXPLAINED_MS)
  return Math.max(sinceMs + UNEXPLAINED_MS, explainedByMs(heardAgainAtMs ?? lastVoiceAtMs, recogniserP99Ms))
}

/** How long voice goes on beside words before it is noise that no new word was told of it. */
export function longestWordlessVoiceMs(recogniserP99Ms: number): number {
  return hasSlowEars(recogniserP99Ms) ? RAREST_WORDS_MS : UNEXPLAINED_MS
}

function hasSlowEars(recogniserP99Ms: number): boolean {
  return recogniserP99Ms > SLOW_EARS_MS
}

/** Until when the text of voice may come that was heard to its end at a moment. */
export function explainedByMs(heardAtMs: number, recogniserP99Ms: number): number {
  return heardAtMs + recogniserP99Ms + MARGIN_MS
}
