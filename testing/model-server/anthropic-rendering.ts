import type { ScriptedAnswer, ScriptedFault } from './reply.ts'
import { getUsage, type RenderedAnswer, splitAt, splitText } from './text-chunks.ts'

const STOP_REASONS = { stop: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens', refusal: 'refusal' } as const

/** Renders a scripted answer as the events of a message: thinking, text and tool blocks, in this order. */
export function renderAnthropic(answer: ScriptedAnswer, body: Readonly<Record<string, unknown>>): RenderedAnswer {
  const usage = getUsage(answer)
  const cached = usage?.cachedInputTokens ?? 0
  const inputUsage = {
    input_tokens: (usage?.inputTokens ?? 0) - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: 1,
  }
  const message = { id: 'msg_scripted', type: 'message', role: 'assistant', model: body.model, content: [] }
  const startedMessage = {
    ...message,
    stop_reason: null,
    stop_sequence: null,
    ...(usage === null ? {} : { usage: inputUsage }),
  }
  const opening = [renderEvent('message_start', { message: startedMessage }), renderEvent('ping', {})]
  let index = 0
  if (answer.thinking !== undefined) {
    opening.push(
      renderEvent('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } }),
      renderEvent('content_block_delta', { index, delta: { type: 'thinking_delta', thinking: answer.thinking } }),
      renderEvent('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'c2lnbmF0dXJl' } }),
      renderEvent('content_block_stop', { index }),
    )
    index += 1
  }
  const closing: string[] = []
  const textParts = splitText(answer)
  const textIndex = index
  if (textParts.length > 0) {
    opening.push(renderEvent('content_block_start', { index, content_block: { type: 'text', text: '' } }))
    closing.push(renderEvent('content_block_stop', { index }))
    index += 1
  }
  const words = textParts.map((text) =>
    renderEvent('content_block_delta', { index: textIndex, delta: { type: 'text_delta', text } }),
  )
  for (const [position, call] of (answer.toolCalls ?? []).entries()) {
    const block = { type: 'tool_use', id: call.id ?? `toolu_scripted_${position}`, name: call.name, input: {} }
    closing.push(renderEvent('content_block_start', { index, content_block: block }))
    for (const textPart of ['', ...splitAt(call.arguments, call.splits)]) {
      closing.push(
        renderEvent('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: textPart } }),
      )
    }
    closing.push(renderEvent('content_block_stop', { index }))
    index += 1
  }
  if (answer.ending !== 'no-finish') {
    const defaultReason = answer.refusal ? 'refusal' : answer.toolCalls?.length ? 'tool-calls' : 'stop'
    const delta = { stop_reason: STOP_REASONS[answer.finish ?? defaultReason], stop_sequence: null }
    closing.push(
      renderEvent('message_delta', {
        delta,
        ...(usage === null ? {} : { usage: { output_tokens: usage.outputTokens } }),
      }),
    )
    if (answer.ending !== 'no-done') closing.push(renderEvent('message_stop', {}))
  }
  return { opening, words, closing }
}

const ERRORS = {
  overloaded: { type: 'overloaded_error', message: 'Overloaded' },
  'rate-limit': { type: 'rate_limit_error', message: 'Rate limit reached.' },
  'invalid-request': { type: 'invalid_request_error', message: 'Invalid request.' },
  authentication: { type: 'authentication_error', message: 'invalid x-api-key' },
} as const

/** Renders an error inside the stream. */
export function renderAnthropicError(kind: Extract<ScriptedFault, { fault: 'error-event' }>['kind']): string {
  return renderEvent('error', { error: ERRORS[kind] })
}

const STATUS_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** Returns the body of an error status. */
export function renderAnthropicErrorBody(status: number, message: string): string {
  return JSON.stringify({ type: 'error', error: { type: STATUS_ERRORS[status] ?? 'api_error', message } })
}

function renderEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
