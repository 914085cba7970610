/** Where the browser cannot be asked. Not measured: a guess for loudspeakers on a wire. */
const ASSUMED_MS = 50

/**
 * Milliseconds from a sample that the page plays to its sound. Firefox is not asked: while the sound of a call begins, the page
 * can stand still for ever over the question (Firefox 153 on Linux with PulseAudio: in 5 of 6 calls; in none of 14 without it).
 * Firefox on iOS is another browser underneath and names itself otherwise.
 */
export function outputDelayMs(
  context: Pick<AudioContext, 'outputLatency' | 'baseLatency'>,
  userAgent = navigator.userAgent,
): number {
  if (userAgent.includes('Firefox/')) return ASSUMED_MS
  return (context.outputLatency || context.baseLatency || 0) * 1_000
}
