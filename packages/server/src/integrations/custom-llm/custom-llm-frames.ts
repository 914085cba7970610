import type { CustomLlmRequest, JsonObject, ModelFailure, ModelToolCall } from '@parley/engine/ports'
import type { OutboundFailure } from '../../platform/outbound/outbound-request.ts'
import { parseJson, toObject, toText } from '../models/unknown-json.ts'

/** A part of an answer. */
export type AnswerFrame =
  | { readonly type: 'text'; readonly content: string; readonly complete: boolean; readonly endCall: boolean }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly content: string }

/** A message of a server. `other`: valid, but not supported in chats. */
export type ServerFrame =
  | { readonly type: 'config'; readonly autoReconnect: boolean; readonly callDetails: boolean }
  | { readonly type: 'response'; readonly responseId: number; readonly part: AnswerFrame }
  | Exclude<AnswerFrame, { readonly type: 'text' }>
  | { readonly type: 'other' }

/** Parses a text frame; `null` when it is invalid. Unknown types are reserved for later versions of the protocol. */
export function readFrame(text: string): ServerFrame | null {
  const fields = toObject(parseJson(text))
  if (fields === null || typeof fields.response_type !== 'string') return null
  switch (fields.response_type) {
    case 'config': {
      const config = toObject(fields.config)
      if (config === null) return null
      return {
        type: 'config',
        autoReconnect: config.auto_reconnect === true,
        callDetails: config.call_details === true,
      }
    }
    case 'response':
      return readResponse(fields)
    case 'tool_call_invocation':
      return readToolCall(fields)
    case 'tool_call_result': {
      const toolCallId = toText(fields.tool_call_id)
      return toolCallId === '' ? null : { type: 'tool-result', toolCallId, content: textOrJson(fields.content) }
    }
    default:
      return { type: 'other' }
  }
}

/** A ping. */
export function pingFrame(nowMs: number): string {
  return JSON.stringify({ interaction_type: 'ping_pong', timestamp: nowMs })
}

/** Describes the conversation, once per connection. */
export function detailsFrame(conversation: JsonObject): string {
  return JSON.stringify({ interaction_type: 'call_details', call: conversation })
}

/** A request for an answer. */
export type CustomLlmQuestion = Pick<CustomLlmRequest, 'ask' | 'transcript'>

/** Requests an answer to the transcript, or a reminder for a silent user. */
export function questionFrame(responseId: number, { ask, transcript }: CustomLlmQuestion): string {
  const interaction_type = ask === 'reminder' ? 'reminder_required' : 'response_required'
  return JSON.stringify({ interaction_type, response_id: responseId, transcript })
}

function readResponse(fields: Readonly<Record<string, unknown>>): ServerFrame | null {
  const responseId = readResponseId(fields.response_id)
  const content = fields.content ?? ''
  if (responseId === null || typeof content !== 'string') return null
  const complete = fields.content_complete === true
  return { type: 'response', responseId, part: { type: 'text', content, complete, endCall: fields.end_call === true } }
}

function readToolCall(fields: Readonly<Record<string, unknown>>): ServerFrame | null {
  const id = toText(fields.tool_call_id)
  const name = toText(fields.name)
  if (id === '' || name === '') return null
  const argumentsText = textOrJson(fields.arguments)
  return { type: 'tool-call', call: { id, name, argumentsText: argumentsText === '' ? '{}' : argumentsText } }
}

function readResponseId(value: unknown): number | null {
  // Some servers return the number as text.
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null
}

function textOrJson(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** Maps a failed connection attempt. */
export function failureOfOpening({ reason, message, status }: OutboundFailure): ModelFailure {
  if (reason === 'timeout') return { kind: 'timeout', message, retryable: true }
  if (reason === 'blocked-target' || reason === 'invalid-request' || reason === 'too-many-redirects') {
    return { kind: 'rejected', message, retryable: false }
  }
  if (status === 401 || status === 403) return { kind: 'unauthorized', message, retryable: false }
  if (status === 429) return { kind: 'rate-limited', message, retryable: true }
  if (status !== null && status >= 300 && status < 500 && status !== 408) {
    return { kind: 'rejected', message, retryable: false }
  }
  return { kind: reason === 'too-large' ? 'protocol' : 'unavailable', message, retryable: true }
}

/** Maps an error of an open socket by its code, since messages may name addresses. */
export function failureOfSocket(error: unknown): ModelFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return protocolError('The server sent a message that is too large.')
  if (code.startsWith('WS_ERR_')) return protocolError('The server violated the WebSocket protocol.')
  return connectionLost()
}

/** Failure of a server that violates the protocol. */
export function protocolError(message: string): ModelFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** Failure of a connection that was lost before the end of an answer. */
export function connectionLost(): ModelFailure {
  return {
    kind: 'unavailable',
    message: 'The server closed the connection before its answer was complete.',
    retryable: true,
  }
}

/** Failure of a server that stopped answering pings. */
export function serverTimeout(): ModelFailure {
  return { kind: 'unavailable', message: 'The server no longer answers pings.', retryable: true }
}

/** Failure of a deadline. */
export function expired(message: string): ModelFailure {
  return { kind: 'timeout', message, retryable: true }
}

/** Failure of a client without a connection. */
export function createUnavailableFailure(message: string): ModelFailure {
  return { kind: 'unavailable', message, retryable: true }
}
