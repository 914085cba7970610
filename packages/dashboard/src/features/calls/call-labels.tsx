import type { Call, CallStatus } from '@parley/contract/call'
import { Badge } from '../../components/badge.tsx'
import { message, useText } from '../../lib/language.ts'
import type { BadgeVariant } from '../../parts/transcript/conversation-cells.tsx'

export const STATUS_VARIANTS: Readonly<Record<CallStatus, BadgeVariant>> = {
  registered: { label: message('Waiting'), tone: 'plain' },
  ongoing: { label: message('Live'), tone: 'brand' },
  ended: { label: message('Ended'), tone: 'good' },
  not_connected: { label: message('Not connected'), tone: 'warn' },
  error: { label: message('Failed'), tone: 'bad' },
}

const WEB_CALL = message('Web call')
const DIRECTIONS = { inbound: message('Inbound'), outbound: message('Outbound') } as const

export const getDirectionLabel = (direction: Call['direction']): string =>
  direction === null ? WEB_CALL : DIRECTIONS[direction]

export const END_REASONS: Readonly<Record<NonNullable<Call['disconnectionReason']>, string>> = {
  user_hangup: message('Caller hung up'),
  agent_hangup: message('Agent hung up'),
  call_transfer: message('Transferred'),
  voicemail_reached: message('Reached voicemail'),
  ivr_reached: message('Reached a phone menu (IVR)'),
  inactivity: message('Ended after silence'),
  max_duration_reached: message('Reached the maximum duration'),
  scam_detected: message('Flagged as fraud'),
  transfer_bridged: message('Transfer connected'),
  transfer_cancelled: message('Transfer canceled'),
  manual_stopped: message('Ended by a user or the API'),
  call_take_over: message('Taken over by a person'),
  concurrency_limit_reached: message('Concurrency limit reached'),
  no_concurrency_fallback: message('Concurrency limit reached, no fallback set'),
  no_valid_payment: message('No valid payment method'),
  dial_busy: message('Busy'),
  dial_failed: message('Dialing failed'),
  dial_no_answer: message('No answer'),
  invalid_destination: message('Invalid phone number'),
  telephony_provider_permission_denied: message('Denied by the telephony vendor'),
  telephony_provider_unavailable: message('Telephony vendor unavailable'),
  sip_routing_error: message('SIP routing error'),
  marked_as_spam: message('Marked as spam'),
  user_declined: message('Declined'),
  registered_call_timeout: message('Nobody joined in time'),
  error_llm_websocket_open: message('Could not connect to the language model'),
  error_llm_websocket_lost_connection: message('Lost the connection to the language model'),
  error_llm_websocket_runtime: message('Language model error'),
  error_llm_websocket_corrupt_payload: message('Invalid response from the language model'),
  error_no_audio_received: message('No audio received from the caller'),
  error_asr: message('Speech recognition error'),
  error_node_lost: message('Server stopped during the call'),
  error_user_not_joined: message('Caller did not join'),
  error_unknown: message('Unknown error'),
}

export function CallStatusBadge({ status }: { readonly status: CallStatus }) {
  const t = useText()
  const { label, tone } = STATUS_VARIANTS[status]
  return (
    <Badge tone={tone}>
      {status === 'ongoing' && (
        <span aria-hidden="true" className="size-1.5 animate-pulse rounded-full bg-brand-text" />
      )}
      {t(label)}
    </Badge>
  )
}
