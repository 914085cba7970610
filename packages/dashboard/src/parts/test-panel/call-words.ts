import type { CallProblemCode } from '@parley/sdk'
import { message } from '../../lib/language.ts'
import type { CallState, Latency } from './call-state.ts'

/** What is wrong, and what the person at the screen can do about it. Callers never get `token_revoked`: only listeners do. */
const PROBLEMS: Readonly<
  Record<Exclude<CallProblemCode, 'refused' | 'token_revoked'>, readonly [problem: string, fix: string]>
> = {
  insecure_context: [
    message('This page is not served over HTTPS, so the browser gives it no microphone.'),
    message('Open the dashboard over https://, or at http://localhost on the machine of the server.'),
  ],
  unsupported_browser: [
    message('This browser cannot process the sound of a call.'),
    message('Use a current version of Chrome, Edge, Firefox or Safari.'),
  ],
  no_microphone: [
    message('No microphone was found.'),
    message('Connect a microphone and try again, or go on by typing.'),
  ],
  microphone_blocked: [
    message('The microphone is blocked for this page.'),
    message('Allow the microphone in the site settings beside the address and try again, or go on by typing.'),
  ],
  microphone_busy: [
    message('The microphone could not be opened; another program may be using it.'),
    message('Close other programs that use the microphone and try again, or choose another one.'),
  ],
  token_invalid: [message('The token of this call is not valid.'), message('Start a new call.')],
  token_used: [message('The token of this call was used already.'), message('Start a new call.')],
  token_expired: [message('The token of this call has expired.'), message('Start a new call.')],
  call_ended: [message('This call is over.'), message('Start a new call.')],
  call_full: [
    message('As many conversations go on as the workspace may have.'),
    message('Wait until one of them ends, and try again.'),
  ],
  protocol_mismatch: [message('This page is older or newer than the server.'), message('Reload the page.')],
  autoplay_blocked: [
    message('The browser plays no sound before you touch the page.'),
    message('Click or tap anywhere on the page.'),
  ],
  speaker_not_available: [
    message('The sound cannot be sent to that device.'),
    message('Choose another loudspeaker, or change it in the settings of your system.'),
  ],
  unreachable: [message('The server cannot be reached.'), message('Check your connection and try again.')],
  connection_lost: [
    message('The connection was lost and did not come back in time.'),
    message('Check your network and call again.'),
  ],
  unavailable: [message('The call cannot be taken right now.'), message('Try again in a moment.')],
}

/** Warnings of calls that go on. */
const WARNINGS: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  ...PROBLEMS,
  no_microphone: [message('The microphone is gone.'), message('Connect one and choose it, or go on by typing.')],
  weak_network: [
    message('Your network is slow right now; the sound may break up.'),
    message('A cable, or a place nearer to the router, may help.'),
  ],
  recognition_unavailable: [
    message('This browser does not recognise speech right now.'),
    message('Type what you want to say.'),
  ],
}

/** A problem and its fix in English, to be shown through the catalogue; null for codes that only the server knows. */
export function problemWords(code: string): readonly [problem: string, fix: string] | null {
  return (PROBLEMS as Readonly<Record<string, readonly [string, string]>>)[code] ?? null
}

export function warningWords(code: string): readonly [problem: string, fix: string] | null {
  return WARNINGS[code] ?? null
}

const MICROPHONE_PROBLEMS: ReadonlySet<string> = new Set(['no_microphone', 'microphone_blocked', 'microphone_busy'])

/** Whether the call can be had in writing in spite of a problem. Without a secure context there is no sound of the agent either. */
export function mayType(code: string): boolean {
  return MICROPHONE_PROBLEMS.has(code)
}

const ENDINGS: Readonly<Record<string, string>> = {
  user_hangup: message('You ended the call.'),
  agent_hangup: message('The agent ended the call.'),
  inactivity: message('The call ended because nothing was said for a while.'),
  max_duration_reached: message('The call reached its longest duration.'),
  manual_stopped: message('The call was ended from elsewhere.'),
  call_transfer: message('The call was transferred.'),
  connection_lost: message('The connection was lost and did not come back in time.'),
  error_node_lost: message('The call was cut by a fault of the server.'),
}

/** Why a call is over, in a sentence of the catalogue. */
export function endingWords(reason: string): string {
  const fallback = reason.startsWith('error')
    ? message('The call ended because of a fault. Its page tells more.')
    : message('The call is over.')
  return ENDINGS[reason] ?? fallback
}

/** What goes on right now, in a word or two of the catalogue. */
export function activityWords({ activity: { agent, user }, ears, isMuted, isReconnecting }: CallState): string {
  if (isReconnecting) return message('Reconnecting …')
  if (agent === 'on-hold') return message('On hold')
  if (agent === 'tool') return message('Using a tool …')
  if (agent === 'thinking') return message('Thinking …')
  if (agent === 'speaking') return message('Speaking')
  if (ears === 'none') return message('Waiting for your message')
  if (user === 'speaking' || user === 'maybe-speaking') return message('Listening …')
  return isMuted ? message('You are muted') : message('Listening')
}

/** Parts of a latency that were measured, with their names in the catalogue. */
export function latencyParts(latency: Latency): readonly (readonly [name: string, milliseconds: number])[] {
  const parts: readonly (readonly [string, number | null])[] = [
    [message('end of turn'), latency.endOfTurnMs],
    [message('recognition'), latency.recogniserMs],
    [message('knowledge'), latency.retrievalMs],
    [message('model'), latency.modelFirstTokenMs],
    [message('first clause'), latency.firstClauseMs],
    [message('voice'), latency.synthesisFirstAudioMs],
    [message('playing'), latency.playoutMs],
  ]
  return parts.flatMap(([name, milliseconds]) => (milliseconds === null ? [] : [[name, Math.round(milliseconds)]]))
}
