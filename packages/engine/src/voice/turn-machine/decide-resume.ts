/** Voice as short as this is a cough or a knock. */
const COUGH_MS = 300
const QUIET_MS = 700
const SLOW_TRANSCRIBER_QUIET_MS = 2_000

export interface EndedVoice {
  readonly sinceMs: number
  readonly lastVoiceAtMs: number
  readonly transcriberP99Ms: number
}

/**
 * When the agent goes on after voice that made it pause and that no text has explained: at once after a cough, else as soon
 * as the recogniser had the time to say what it was.
 */
export function resumeAtMs({ sinceMs, lastVoiceAtMs, transcriberP99Ms }: EndedVoice): number {
  if (lastVoiceAtMs - sinceMs < COUGH_MS) return lastVoiceAtMs
  return lastVoiceAtMs + (transcriberP99Ms > QUIET_MS ? SLOW_TRANSCRIBER_QUIET_MS : QUIET_MS)
}
