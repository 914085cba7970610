import type { ScriptedAnswer, ScriptedFault } from './reply.ts'
import { getUsage, type RenderedAnswer, splitAt, splitText } from './text-chunks.ts'

const FINISH_REASONS = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
} as const

/** Renders a scripted answer as the chunks of a chat completion. */
export function renderOpenAi(answer: ScriptedAnswer, body: Readonly<Record<string, unknown>>): RenderedAnswer {
  const base = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1_760_000_000, model: body.model }
  const wantsUsage = (body.stream_options as { include_usage?: unknown } | undefined)?.include_usage === true
  const nullUsage = wantsUsage ? { usage: null } : {}
  const renderChunk = (delta: object, finishReason: string | null = null): string =>
    renderLine({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], ...nullUsage })

  const opening = [renderChunk({ role: 'assistant', content: '', refusal: null })]
  if (answer.thinking !== undefined) opening.push(renderChunk({ reasoning_content: answer.thinking }))
  const words = splitText(answer).map((textPart) =>
    renderChunk(answer.refusal ? { refusal: textPart } : { content: textPart }),
  )
  const closing: string[] = []
  for (const [index, call] of (answer.toolCalls ?? []).entries()) {
    const id = call.id ?? `call_scripted_${index}`
    const [first = '', ...rest] = splitAt(call.arguments, call.splits)
    const openedCall = { index, id, type: 'function', function: { name: call.name, arguments: '' } }
    closing.push(renderChunk({ tool_calls: [openedCall] }))
    for (const textPart of [first, ...rest])
      closing.push(renderChunk({ tool_calls: [{ index, function: { arguments: textPart } }] }))
  }
  if (answer.ending !== 'no-finish') {
    const defaultReason = answer.toolCalls?.length ? 'tool-calls' : 'stop'
    closing.push(renderChunk({}, FINISH_REASONS[answer.finish ?? defaultReason]))
    const usage = getUsage(answer)
    if (wantsUsage && usage !== null) {
      const counts = {
        prompt_tokens: usage.inputTokens,
        completion_tokens: usage.outputTokens,
        total_tokens: usage.inputTokens + usage.outputTokens,
        prompt_tokens_details: { cached_tokens: usage.cachedInputTokens, audio_tokens: 0 },
      }
      closing.push(renderLine({ ...base, choices: [], usage: counts }))
    }
    if (answer.ending !== 'no-done') closing.push('data: [DONE]\n\n')
  }
  return { opening, words, closing }
}

const ERRORS = {
  overloaded: { type: 'server_error', code: null, message: 'The server is overloaded.' },
  'rate-limit': { type: 'tokens', code: 'rate_limit_exceeded', message: 'Rate limit reached.' },
  'invalid-request': { type: 'invalid_request_error', code: null, message: 'Invalid request.' },
  authentication: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key.' },
} as const

/** Renders an error inside the stream. */
export function renderOpenAiError(kind: Extract<ScriptedFault, { fault: 'error-event' }>['kind']): string {
  return renderLine({ error: { ...ERRORS[kind], param: null } })
}

/** Returns the body of an error status. */
export function renderOpenAiErrorBody(status: number, message: string): string {
  const type = status === 429 ? 'tokens' : status >= 500 ? 'server_error' : 'invalid_request_error'
  return JSON.stringify({ error: { message, type, param: null, code: status === 401 ? 'invalid_api_key' : null } })
}

function renderLine(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
