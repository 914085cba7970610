import type { CustomLlmRequest, JsonObject, ModelFailure, ModelToolCall } from '@parley/engine/ports'
import { parseJson, toObject, toText } from '../models/unknown-json.ts'

/** A part of a response. */
export type AnswerFrame =
  | { readonly type: 'text'; readonly content: string; readonly complete: boolean; readonly endCall: boolean }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly content: string }

/** A message from a server. `other` is valid, but not supported in chats. */
export type ServerFrame =
  | { readonly type: 'config'; readonly autoReconnect: boolean; readonly callDetails: boolean }
  | { readonly type: 'response'; readonly responseId: number; readonly part: AnswerFrame }
  | Exclude<AnswerFrame, { readonly type: 'text' }>
  | { readonly type: 'other' }

/** Parses a text frame. Returns null if the frame is invalid. Unknown types are reserved for later versions of the protocol. */
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
      return toolCallId === '' ? null : { type: 'tool-result', toolCallId, content: toTextOrJson(fields.content) }
    }
    default:
      return { type: 'other' }
  }
}

/** Builds a ping frame. */
export function buildPingFrame(nowMs: number): string {
  return JSON.stringify({ interaction_type: 'ping_pong', timestamp: nowMs })
}

/** Builds the frame that describes the conversation, once per connection. */
export function buildDetailsFrame(conversation: JsonObject): string {
  return JSON.stringify({ interaction_type: 'call_details', call: conversation })
}

/** A request for a response. */
export type AnswerRequest = Pick<CustomLlmRequest, 'requestType' | 'transcript'>

/** Builds the frame that requests a response to the transcript, or a reminder for a silent user. */
export function buildRequestFrame(responseId: number, { requestType, transcript }: AnswerRequest): string {
  const interaction_type = requestType === 'reminder' ? 'reminder_required' : 'response_required'
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
  const argumentsText = toTextOrJson(fields.arguments)
  return { type: 'tool-call', call: { id, name, argumentsText: argumentsText === '' ? '{}' : argumentsText } }
}

function readResponseId(value: unknown): number | null {
  // Some servers return the number as text.
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null
}

function toTextOrJson(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** Converts an error of an open socket by its code, because messages can contain addresses. */
export function toSocketFailure(error: unknown): ModelFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return createProtocolError('The server sent a message that is too large.')
  if (code.startsWith('WS_ERR_')) return createProtocolError('The server violated the WebSocket protocol.')
  return createConnectionLostFailure()
}

/** Builds the failure for a server that violates the protocol. */
export function createProtocolError(message: string): ModelFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** Builds the failure for a connection that was lost before the end of a response. */
export function createConnectionLostFailure(): ModelFailure {
  return {
    kind: 'unavailable',
    message: 'The server closed the connection before its answer was complete.',
    retryable: true,
  }
}

/** Builds the failure for a server that stopped responding to pings. */
export function createServerTimeoutFailure(): ModelFailure {
  return { kind: 'unavailable', message: 'The server stopped responding to pings.', retryable: true }
}

/** Builds the failure for an expired deadline. */
export function createExpiredFailure(message: string): ModelFailure {
  return { kind: 'timeout', message, retryable: true }
}

/** Builds the failure for a server that cannot be used now. */
export function createUnavailableFailure(message: string): ModelFailure {
  return { kind: 'unavailable', message, retryable: true }
}
