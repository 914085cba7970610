/** Ears that tell what they hear only when the caller has stopped. */
const SLOW_TRANSCRIBER_MS = 700
const MAX_UNTRANSCRIBED_MS = 5_000
/** Slow ears hear this much at once; longer voice is noise. */
const MAX_VOICE_MS = 30_000
/** Slow ears are asked again when a quarter has come to what they heard: after so long there were words in most sentences of 30 s. */
const MAX_WORD_GAP_MS = 12_000
const MARGIN_MS = 500

export interface UntranscribedVoice {
  readonly sinceMs: number
  readonly isOn: boolean
  readonly lastVoiceAtMs: number
  readonly transcriberP99Ms: number
  /** When other ears began to hear it once more; `null`: they did not. */
  readonly retranscribingSinceMs: number | null
}

/** From when on voice that no text explains counts as noise. */
export function noiseAtMs(voice: UntranscribedVoice): number {
  const { sinceMs, isOn, lastVoiceAtMs, transcriberP99Ms, retranscribingSinceMs } = voice
  if (isOn) return sinceMs + (isSlowTranscriber(transcriberP99Ms) ? MAX_VOICE_MS : MAX_UNTRANSCRIBED_MS)
  return Math.max(
    sinceMs + MAX_UNTRANSCRIBED_MS,
    transcriptDueAtMs(retranscribingSinceMs ?? lastVoiceAtMs, transcriberP99Ms),
  )
}

/** How long voice goes on beside words before it is noise that no new word was told of it. */
export function maxWordlessVoiceMs(transcriberP99Ms: number): number {
  return isSlowTranscriber(transcriberP99Ms) ? MAX_WORD_GAP_MS : MAX_UNTRANSCRIBED_MS
}

function isSlowTranscriber(transcriberP99Ms: number): boolean {
  return transcriberP99Ms > SLOW_TRANSCRIBER_MS
}

/** Until when the text of voice may come that was heard to its end at a moment. */
export function transcriptDueAtMs(voiceEndedAtMs: number, transcriberP99Ms: number): number {
  return voiceEndedAtMs + transcriberP99Ms + MARGIN_MS
}
