/** Slower transcribers report only after the caller stopped. */
const SLOW_TRANSCRIBER_MS = 700
const MAX_UNTRANSCRIBED_MS = 5_000
/** Slow transcribers take up to this much audio; longer voice is noise. */
const MAX_VOICE_MS = 30_000
/** Longest gap between words for slow transcribers: most 30 s recordings have words by then. */
const MAX_WORD_GAP_MS = 12_000
const MARGIN_MS = 500

export interface UntranscribedVoice {
  readonly sinceMs: number
  readonly isOn: boolean
  readonly lastVoiceAtMs: number
  readonly transcriberP99Ms: number
  /** When the next transcriber started to replay it; `null` if none did. */
  readonly retranscribingSinceMs: number | null
}

/** When voice without text counts as noise. */
export function noiseAtMs(voice: UntranscribedVoice): number {
  const { sinceMs, isOn, lastVoiceAtMs, transcriberP99Ms, retranscribingSinceMs } = voice
  if (isOn) return sinceMs + (isSlowTranscriber(transcriberP99Ms) ? MAX_VOICE_MS : MAX_UNTRANSCRIBED_MS)
  return Math.max(
    sinceMs + MAX_UNTRANSCRIBED_MS,
    transcriptDueAtMs(retranscribingSinceMs ?? lastVoiceAtMs, transcriberP99Ms),
  )
}

/** How long voice may continue without new words before it is noise. */
export function maxWordlessVoiceMs(transcriberP99Ms: number): number {
  return isSlowTranscriber(transcriberP99Ms) ? MAX_WORD_GAP_MS : MAX_UNTRANSCRIBED_MS
}

function isSlowTranscriber(transcriberP99Ms: number): boolean {
  return transcriberP99Ms > SLOW_TRANSCRIBER_MS
}

/** Latest arrival of the text of ended voice. */
export function transcriptDueAtMs(voiceEndedAtMs: number, transcriberP99Ms: number): number {
  return voiceEndedAtMs + transcriberP99Ms + MARGIN_MS
}
