const SPEECH_MS = 3_000
const PAUSE_MS = { least: 250, most: 450 }
const BETWEEN_MS = 6_000
const GOES_ON_BELOW = 0.3

export interface SpeakersPause {
  readonly speechMs: number
  readonly lastVoiceAtMs: number
  readonly probability: number
  readonly lastBackchannelAtMs: number | null
}

/** When the agent shows that it listens; `null`: not in this pause. */
export function agentBackchannelAtMs(pause: SpeakersPause): number | null {
  if (pause.speechMs < SPEECH_MS || pause.probability >= GOES_ON_BELOW) return null
  const atMs = pause.lastVoiceAtMs + PAUSE_MS.least
  const { lastBackchannelAtMs } = pause
  return lastBackchannelAtMs !== null && atMs - lastBackchannelAtMs < BETWEEN_MS ? null : atMs
}

/** Later than this the caller goes on speaking, or is done. */
export function isTooLateForBackchannel(lastVoiceAtMs: number, nowMs: number): boolean {
  return nowMs - lastVoiceAtMs > PAUSE_MS.most
}
