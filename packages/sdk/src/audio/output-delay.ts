/** Assumed where the browser cannot be asked: a typical wired loudspeaker. */
const ASSUMED_MS = 50

/**
 * Milliseconds from playback to the loudspeaker. Firefox is not asked, since reading the latency at the start of a call
 * can block the page forever (seen with Firefox 153 on Linux with PulseAudio).
 */
export function outputDelayMs(
  context: Pick<AudioContext, 'outputLatency' | 'baseLatency'>,
  userAgent = navigator.userAgent,
): number {
  if (userAgent.includes('Firefox/')) return ASSUMED_MS
  return (context.outputLatency || context.baseLatency || 0) * 1_000
}
