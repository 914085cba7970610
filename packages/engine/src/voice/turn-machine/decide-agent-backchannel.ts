const SPEECH_MS = 3_000
const PAUSE_MS = { min: 250, max: 450 }
const MIN_INTERVAL_MS = 6_000
const CONTINUES_BELOW = 0.3

export interface SpeakerPause {
  readonly speechMs: number
  readonly lastVoiceAtMs: number
  readonly probability: number
  readonly lastBackchannelAtMs: number | null
}

/** When the agent shows that it listens; `null`: not in this pause. */
export function agentBackchannelAtMs(pause: SpeakerPause): number | null {
  if (pause.speechMs < SPEECH_MS || pause.probability >= CONTINUES_BELOW) return null
  const atMs = pause.lastVoiceAtMs + PAUSE_MS.min
  const { lastBackchannelAtMs } = pause
  return lastBackchannelAtMs !== null && atMs - lastBackchannelAtMs < MIN_INTERVAL_MS ? null : atMs
}

/** Later than this the caller goes on speaking, or is done. */
export function isTooLateForBackchannel(lastVoiceAtMs: number, nowMs: number): boolean {
  return nowMs - lastVoiceAtMs > PAUSE_MS.max
}
