/** Voice shorter than this is a cough or a knock. */
const COUGH_MS = 300
const QUIET_MS = 700
const SLOW_TRANSCRIBER_QUIET_MS = 2_000

export interface EndedVoice {
  readonly sinceMs: number
  readonly lastVoiceAtMs: number
  readonly transcriberP99Ms: number
}

/** When the agent resumes after voice without text: at once after a cough, otherwise once the transcriber had time to report. */
export function resumeAtMs({ sinceMs, lastVoiceAtMs, transcriberP99Ms }: EndedVoice): number {
  if (lastVoiceAtMs - sinceMs < COUGH_MS) return lastVoiceAtMs
  return lastVoiceAtMs + (transcriberP99Ms > QUIET_MS ? SLOW_TRANSCRIBER_QUIET_MS : QUIET_MS)
}
