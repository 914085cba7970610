import type { CallProblemCode } from '../call-problem.ts'
import type { AgentActivity, TurnLatency, UserActivity } from '../channel/live-protocol.ts'

const END_TEXTS: Readonly<Record<string, string>> = {
  user_hangup: 'You ended the call.',
  agent_hangup: 'The agent ended the call.',
  inactivity: 'The call ended because of silence.',
  max_duration_reached: 'The call reached its maximum duration.',
  manual_stopped: 'The other side ended the call.',
  call_transfer: 'The call was transferred.',
  connection_lost: 'The connection was lost and did not come back in time.',
  error_node_lost: 'The call ended because of a server error.',
}

/** Describes in a sentence why a call ended. */
export function describeEndReason(reason: string): string {
  return (
    END_TEXTS[reason] ?? (reason.startsWith('error') ? 'The call ended because of an error.' : 'The call has ended.')
  )
}

/** Describes the current activity in a few words. `recognitionStatus` indicates whether speech is recognized. */
export function describeActivity(
  agent: AgentActivity,
  user: UserActivity,
  recognitionStatus: 'open' | 'muted' | 'none',
): string {
  if (agent === 'on-hold') return 'On hold'
  if (agent === 'tool') return 'Looking something up…'
  if (agent === 'thinking') return 'Thinking…'
  if (agent === 'speaking') return 'Speaking'
  if (recognitionStatus === 'none') return 'Waiting for your message'
  if (user === 'speaking' || user === 'maybe-speaking') return 'Listening…'
  return recognitionStatus === 'muted' ? 'You are muted' : 'Listening'
}

/** Formats a duration as minutes and seconds, and hours if required. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000))
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  const paddedSeconds = String(seconds % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${paddedSeconds}` : `${hours}:${String(minutes).padStart(2, '0')}:${paddedSeconds}`
}

/** Formats the latency of an answer. */
export function formatLatency({ totalMs }: TurnLatency): string {
  return `answered in ${(Math.max(0, totalMs) / 1_000).toFixed(2)} s`
}

/** Formats the parts of a latency. */
export function formatLatencyDetails(latency: TurnLatency): string {
  const parts: readonly (readonly [string, number | null])[] = [
    ['end of turn', latency.endOfTurnMs],
    ['recognition', latency.recogniserMs],
    ['knowledge', latency.retrievalMs],
    ['model', latency.modelFirstTokenMs],
    ['first clause', latency.firstClauseMs],
    ['voice', latency.synthesisFirstAudioMs],
    ['playing', latency.playoutMs],
  ]
  return parts
    .flatMap(([name, durationMs]) => (durationMs === null ? [] : [`${name} ${Math.round(durationMs)} ms`]))
    .join(', ')
}

const MICROPHONE_PROBLEMS: ReadonlySet<CallProblemCode> = new Set([
  'insecure_context',
  'no_microphone',
  'microphone_blocked',
  'microphone_busy',
])
const RETRYABLE_PROBLEMS: ReadonlySet<CallProblemCode> = new Set([
  'no_microphone',
  'microphone_blocked',
  'microphone_busy',
  'call_full',
  'unreachable',
  'unavailable',
])

/** Returns the actions that the page offers for a problem in addition to the fix. */
export function getRecoveryOptions(code: CallProblemCode): {
  readonly tryAgain: boolean
  readonly typeInstead: boolean
} {
  return {
    tryAgain: RETRYABLE_PROBLEMS.has(code),
    // Without a secure context, there is no audio worklet and therefore no agent audio.
    typeInstead: MICROPHONE_PROBLEMS.has(code) && code !== 'insecure_context',
  }
}
