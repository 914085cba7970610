/** Voice as short as this is a cough or a knock. */
const COUGH_MS = 300
const QUIET_MS = 700
const QUIET_FOR_SLOW_EARS_MS = 2_000

export interface EndedVoice {
  readonly sinceMs: number
  readonly lastVoiceAtMs: number
  readonly recogniserP99Ms: number
}

/**
 * When the agent goes on after voice that made it pause and that no text has explained: at once after a cough, else as soon
 * as the recogniser had the time to say what it was.
 */
export function resumeAtMs({ sinceMs, lastVoiceAtMs, recogniserP99Ms }: EndedVoice): number {
  if (lastVoiceAtMs - sinceMs < COUGH_MS) return lastVoiceAtMs
  return lastVoiceAtMs + (recogniserP99Ms > QUIET_MS ? QUIET_FOR_SLOW_EARS_MS : QUIET_MS)
}
