import type { CustomLlmRequest, JsonObject, ModelToolCall } from '@parley/engine/ports'
import { asObject, asText, parseJson } from '../models/unknown-json.ts'

/** A part of an answer. */
export type AnswerFrame =
  | { readonly type: 'text'; readonly content: string; readonly complete: boolean; readonly endCall: boolean }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly content: string }

/** What a server says. `other`: nothing that a chat could carry out, and nothing that would be wrong. */
export type ServerFrame =
  | { readonly type: 'config'; readonly autoReconnect: boolean; readonly callDetails: boolean }
  | { readonly type: 'response'; readonly responseId: number; readonly part: AnswerFrame }
  | Exclude<AnswerFrame, { readonly type: 'text' }>
  | { readonly type: 'other' }

/** Reads one text frame; `null` when it is not what a server may say. Unknown types are left to later versions of the wire. */
export function readFrame(text: string): ServerFrame | null {
  const fields = asObject(parseJson(text))
  if (fields === null || typeof fields.response_type !== 'string') return null
  switch (fields.response_type) {
    case 'config': {
      const config = asObject(fields.config)
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
      const toolCallId = asText(fields.tool_call_id)
      return toolCallId === '' ? null : { type: 'tool-result', toolCallId, content: textOrJson(fields.content) }
    }
    default:
      return { type: 'other' }
  }
}

/** Asks whether the server is still there. */
export function pingFrame(nowMs: number): string {
  return JSON.stringify({ interaction_type: 'ping_pong', timestamp: nowMs })
}

/** Tells of the conversation, once for each connection. */
export function detailsFrame(conversation: JsonObject): string {
  return JSON.stringify({ interaction_type: 'call_details', call: conversation })
}

/** What is asked for. */
export type CustomLlmQuestion = Pick<CustomLlmRequest, 'ask' | 'transcript'>

/** Asks for an answer to the transcript's end, or for words to a user who has been silent. */
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
  const id = asText(fields.tool_call_id)
  const name = asText(fields.name)
  if (id === '' || name === '') return null
  const argumentsText = textOrJson(fields.arguments)
  return { type: 'tool-call', call: { id, name, argumentsText: argumentsText === '' ? '{}' : argumentsText } }
}

function readResponseId(value: unknown): number | null {
  // Untyped servers hand back as text what they were given as a number.
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null
}

function textOrJson(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
