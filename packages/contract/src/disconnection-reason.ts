import { z } from 'zod'

/** Reasons why calls end, and the resulting call status. */

const ENDED_REASONS = [
  'user_hangup',
  'agent_hangup',
  'call_transfer',
  'voicemail_reached',
  'ivr_reached',
  'inactivity',
  'max_duration_reached',
  'scam_detected',
  'transfer_bridged',
  'transfer_cancelled',
  'manual_stopped',
  'call_take_over',
] as const

const NOT_CONNECTED_REASONS = [
  'concurrency_limit_reached',
  'no_concurrency_fallback',
  'no_valid_payment',
  'dial_busy',
  'dial_failed',
  'dial_no_answer',
  'invalid_destination',
  'telephony_provider_permission_denied',
  'telephony_provider_unavailable',
  'sip_routing_error',
  'marked_as_spam',
  'user_declined',
  'registered_call_timeout',
] as const

const ERROR_REASONS = [
  'error_llm_websocket_open',
  'error_llm_websocket_lost_connection',
  'error_llm_websocket_runtime',
  'error_llm_websocket_corrupt_payload',
  'error_no_audio_received',
  'error_asr',
  'error_node_lost',
  'error_user_not_joined',
  'error_unknown',
] as const

export const DISCONNECTION_REASONS = [...ENDED_REASONS, ...NOT_CONNECTED_REASONS, ...ERROR_REASONS] as const
export const DisconnectionReason = z.enum(DISCONNECTION_REASONS).meta({ id: 'DisconnectionReason' })
export type DisconnectionReason = z.infer<typeof DisconnectionReason>

/** Status of a call that has ended. */
export type FinalCallStatus = 'ended' | 'not_connected' | 'error'

const includesReason = (reasons: readonly string[], reason: string): boolean => reasons.includes(reason)

/** Returns the final status for a disconnection reason. A call that nobody joined is not connected unless it failed. */
export function getFinalStatus(reason: DisconnectionReason, wasJoined: boolean): FinalCallStatus {
  if (includesReason(ERROR_REASONS, reason)) return 'error'
  return wasJoined && includesReason(ENDED_REASONS, reason) ? 'ended' : 'not_connected'
}
