import type { CallProblemCode } from '../call-problem.ts'
import type { AgentActivity, TurnLatency, UserActivity } from '../channel/live-protocol.ts'

const ENDINGS: Readonly<Record<string, string>> = {
  user_hangup: 'You ended the call.',
  agent_hangup: 'The agent ended the call.',
  inactivity: 'The call ended because nothing was said for a while.',
  max_duration_reached: 'The call reached its longest duration.',
  manual_stopped: 'The call was ended from the other side.',
  call_transfer: 'The call was transferred.',
  connection_lost: 'The connection was lost and did not come back in time.',
  error_node_lost: 'The call was cut by a fault of the server.',
}

/** Why a call is over, in a sentence. */
export function describeEnding(reason: string): string {
  return ENDINGS[reason] ?? (reason.startsWith('error') ? 'The call ended because of a fault.' : 'The call is over.')
}

/** What goes on right now, in a word or two. `ears`: whether speech can be understood at all. */
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

/** Minutes and seconds, hours where there are any. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000))
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  const tail = String(seconds % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`
}

/** How long an answer took. */
export function formatLatency({ totalMs }: TurnLatency): string {
  return `answered in ${(Math.max(0, totalMs) / 1_000).toFixed(2)} s`
}

/** Where that time went, for those who want to know. */
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
  return parts.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${Math.round(ms)} ms`])).join(', ')
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

/** What a person can do about a problem beside reading its fix. */
export function recoveryOptions(code: CallProblemCode): { readonly tryAgain: boolean; readonly typeInstead: boolean } {
  return {
    tryAgain: RETRYABLE_PROBLEMS.has(code),
    // Without a secure context there is no worklet either, and so no sound of the agent.
    typeInstead: MICROPHONE_PROBLEMS.has(code) && code !== 'insecure_context',
  }
}
