import type { Call, CallStatus } from '@parley/contract/call'
import type { Tone } from '../../components/badge.tsx'
import { message } from '../../lib/language.ts'

/** What the words of calls are called on the screen, in English; shown through the catalogue. */

export const STATUS_LOOKS: Readonly<Record<CallStatus, { readonly label: string; readonly tone: Tone }>> = {
  registered: { label: message('Waiting'), tone: 'plain' },
  ongoing: { label: message('Live'), tone: 'brand' },
  ended: { label: message('Ended'), tone: 'good' },
  not_connected: { label: message('Not connected'), tone: 'warn' },
  error: { label: message('Failed'), tone: 'bad' },
}

const WEB_CALL = message('Web call')
const DIRECTIONS = { inbound: message('Inbound'), outbound: message('Outbound') } as const

export function directionWord(direction: Call['direction']): string {
  return direction === null ? WEB_CALL : DIRECTIONS[direction]
}

/** Why a call ended, as a sentence. */
export const REASONS: Readonly<Record<NonNullable<Call['disconnectionReason']>, string>> = {
  user_hangup: message('The caller hung up.'),
  agent_hangup: message('The agent ended the call.'),
  call_transfer: message('The call was transferred.'),
  voicemail_reached: message('A voicemail answered.'),
  ivr_reached: message('A phone menu answered.'),
  inactivity: message('Nobody said anything for too long.'),
  max_duration_reached: message('The call reached the longest time that its agent allows.'),
  scam_detected: message('The call was taken for fraud.'),
  transfer_bridged: message('The transfer was put through.'),
  transfer_cancelled: message('The transfer was cancelled.'),
  manual_stopped: message('Somebody ended the call from outside.'),
  call_take_over: message('A person took the call over.'),
  concurrency_limit_reached: message('Too many calls were live at the same time.'),
  no_concurrency_fallback: message('Too many calls were live at the same time, and nothing was set up for that.'),
  no_valid_payment: message('There was no valid payment.'),
  dial_busy: message('The number was busy.'),
  dial_failed: message('Dialling failed.'),
  dial_no_answer: message('Nobody answered.'),
  invalid_destination: message('The number cannot be called.'),
  telephony_provider_permission_denied: message('The telephony provider did not allow the call.'),
  telephony_provider_unavailable: message('The telephony provider could not be reached.'),
  sip_routing_error: message('The telephony provider could not route the call.'),
  marked_as_spam: message('The call was marked as spam.'),
  user_declined: message('The call was declined.'),
  registered_call_timeout: message('Nobody joined the call in time.'),
  error_llm_websocket_open: message('The language model could not be connected.'),
  error_llm_websocket_lost_connection: message('The connection to the language model was lost.'),
  error_llm_websocket_runtime: message('The language model failed.'),
  error_llm_websocket_corrupt_payload: message('The language model sent something that could not be read.'),
  error_no_audio_received: message('No sound arrived from the caller.'),
  error_asr: message('Speech recognition failed.'),
  error_node_lost: message('The server that held the call stopped.'),
  error_user_not_joined: message('The caller did not join.'),
  error_unknown: message('Something failed that is not known.'),
}
