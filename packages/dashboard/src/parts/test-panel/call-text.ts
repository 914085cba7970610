import type { CallProblemCode } from '@parley/sdk'
import { message } from '../../lib/language.ts'
import type { CallState, Latency } from './call-state.ts'

/** Excludes `token_revoked`, because only users who listen to a call receive it. */
const PROBLEM_MESSAGES: Readonly<
  Record<Exclude<CallProblemCode, 'refused' | 'token_revoked'>, readonly [problem: string, fix: string]>
> = {
  insecure_context: [
    message('The browser blocks the microphone because this page is not served over HTTPS.'),
    message('Open the dashboard over https://, or at http://localhost on the server itself.'),
  ],
  unsupported_browser: [
    message('This browser does not support calls.'),
    message('Use a current version of Chrome, Edge, Firefox or Safari.'),
  ],
  no_microphone: [
    message('No microphone was found.'),
    message('Connect a microphone and try again, or continue by typing.'),
  ],
  microphone_blocked: [
    message('The microphone is blocked for this page.'),
    message('Allow the microphone in the site settings and try again, or continue by typing.'),
  ],
  microphone_busy: [
    message('The microphone could not be opened. Another program may be using it.'),
    message('Close other programs that use the microphone, or choose another one.'),
  ],
  token_invalid: [message('This call token is not valid.'), message('Start a new call.')],
  token_used: [message('This call token has already been used.'), message('Start a new call.')],
  token_expired: [message('This call token has expired.'), message('Start a new call.')],
  call_ended: [message('This call has ended.'), message('Start a new call.')],
  call_full: [
    message('The workspace has reached its concurrency limit.'),
    message('Wait until a conversation ends, then try again.'),
  ],
  protocol_mismatch: [message('This page and the server have different versions.'), message('Reload the page.')],
  autoplay_blocked: [
    message('The browser blocks audio until you interact with the page.'),
    message('Click or tap anywhere on the page.'),
  ],
  speaker_not_available: [
    message('This speaker cannot be used.'),
    message('Choose another speaker, or change it in the system settings.'),
  ],
  unreachable: [message('The server cannot be reached.'), message('Check your connection and try again.')],
  connection_lost: [message('The connection was lost.'), message('Check your network and call again.')],
  unavailable: [message('The server cannot accept calls right now.'), message('Try again in a moment.')],
}

const WARNING_MESSAGES: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  ...PROBLEM_MESSAGES,
  no_microphone: [
    message('The microphone was disconnected.'),
    message('Connect one and select it, or continue by typing.'),
  ],
  weak_network: [
    message('Your network is slow, so the audio may break up.'),
    message('Use a cable or move closer to the router.'),
  ],
}

/** Returns a problem and its fix as catalog messages, or null for unknown codes. */
export function describeProblem(code: string): readonly [problem: string, fix: string] | null {
  return (PROBLEM_MESSAGES as Readonly<Record<string, readonly [string, string]>>)[code] ?? null
}

export function describeWarning(code: string): readonly [problem: string, fix: string] | null {
  return WARNING_MESSAGES[code] ?? null
}

/** Whether `CallState.recognition` already covers a warning. */
export function isRecognitionWarning(code: string): boolean {
  return code === 'recognition_unavailable' || code === 'speech_not_recognised'
}

/** Lists notes about substituted vendors, except speech recognition, which the panel displays separately. */
export function listSubstituteNotes({
  standIns,
  recognition,
}: Pick<CallState, 'standIns' | 'recognition'>): readonly string[] {
  return recognition === 'server' ? standIns : standIns.filter((note) => !/recogni/i.test(note))
}

const MICROPHONE_PROBLEMS: ReadonlySet<string> = new Set(['no_microphone', 'microphone_blocked', 'microphone_busy'])

/** Whether users can continue a call by typing despite the problem. */
export function canContinueByTyping(code: string): boolean {
  return MICROPHONE_PROBLEMS.has(code)
}

const END_REASON_MESSAGES: Readonly<Record<string, string>> = {
  user_hangup: message('You ended the call.'),
  agent_hangup: message('The agent ended the call.'),
  inactivity: message('The call ended after silence.'),
  max_duration_reached: message('The call reached its maximum duration.'),
  manual_stopped: message('The call was ended by a user or the API.'),
  call_transfer: message('The call was transferred.'),
  connection_lost: message('The connection was lost.'),
  error_node_lost: message('The call ended because of a server error.'),
}

/** Returns a catalog message that explains why a call ended. */
export function describeEndReason(reason: string): string {
  const defaultMessage = reason.startsWith('error')
    ? message('The call ended because of an error. Open the call for details.')
    : message('The call ended.')
  return END_REASON_MESSAGES[reason] ?? defaultMessage
}

/** Returns a catalog message for the current activity. */
export function describeActivity({
  activity: { agent, user },
  recognition,
  isMuted,
  isReconnecting,
}: CallState): string {
  if (isReconnecting) return message('Reconnecting…')
  if (agent === 'on-hold') return message('On hold')
  if (agent === 'tool') return message('Using a tool…')
  if (agent === 'thinking') return message('Thinking…')
  if (agent === 'speaking') return message('Speaking')
  if (recognition === 'none') return message('Waiting for your message')
  if (user === 'speaking' || user === 'maybe-speaking') return message('Listening…')
  return isMuted ? message('You are muted') : message('Listening')
}

/** Lists the measured parts of a latency. The names are catalog messages. */
export function listLatencyParts(latency: Latency): readonly (readonly [name: string, milliseconds: number])[] {
  const latencyParts: readonly (readonly [string, number | null])[] = [
    [message('end of turn'), latency.endOfTurnMs],
    [message('recognition'), latency.recogniserMs],
    [message('knowledge'), latency.retrievalMs],
    [message('model'), latency.modelFirstTokenMs],
    [message('first clause'), latency.firstClauseMs],
    [message('voice'), latency.synthesisFirstAudioMs],
    [message('playback'), latency.playoutMs],
  ]
  return latencyParts.flatMap(([name, milliseconds]) =>
    milliseconds === null ? [] : [[name, Math.round(milliseconds)]],
  )
}
