import type { ModelEvent, ModelUsage } from '@parley/engine/ports'
import { createToolCallParts, type ToolCallParts } from './tool-call-parts.ts'
import { asCount, asObject, asText, parseJson } from './unknown-json.ts'
import type { WireProgress, WireReader } from './wire-client.ts'
import { failureOfVendorError, protocolFailure } from './wire-failure.ts'

type FinishReason = Extract<ModelEvent, { type: 'finish' }>['reason']
type Fields = Readonly<Record<string, unknown>>

/** Reads the chunks of a chat completion. Only the first choice counts. `secret` never appears in a failure. */
export function createOpenAiReader(secret: string | undefined): WireReader {
  const calls = createToolCallParts()
  let usage: ModelUsage | null = null
  let reason: FinishReason | null = null
  let refused = false
  let hasTakenCalls = false

  function takeCalls(push: (event: ModelEvent) => void): boolean {
    // A filtered or cut answer may end in the middle of a call.
    const whole = reason === 'length' || reason === 'refusal'
    const taken = calls.take(whole)
    if (taken === null) return false
    hasTakenCalls = taken.length > 0
    for (const call of taken) push({ type: 'tool-call', call })
    return true
  }

  function readChoice(choice: Fields, push: (event: ModelEvent) => void): WireProgress {
    const delta = asObject(choice.delta)
    if (delta !== null && reason === null) {
      const text = asText(delta.content)
      if (text !== '') push({ type: 'text-delta', text })
      const refusal = asText(delta.refusal)
      if (refusal !== '') {
        refused = true
        push({ type: 'text-delta', text: refusal })
      }
      if (Array.isArray(delta.tool_calls)) {
        for (const toolCall of delta.tool_calls) {
          if (!addToolCall(calls, toolCall))
            return protocolFailure('The provider sent too many or too long tool calls.')
        }
      }
    }
    const finish = asText(choice.finish_reason)
    if (finish === '' || reason !== null) return reason === null ? 'streaming' : 'answered'
    if (finish === 'error') return failureOfVendorError(choice.error, secret)
    reason = finishReasonOf(finish)
    return takeCalls(push) ? 'answered' : protocolFailure('The provider sent a tool call without a name.')
  }

  return {
    read({ data }, push) {
      if (data === '[DONE]') {
        if (reason !== null) return 'done'
        reason = 'stop'
        return takeCalls(push) ? 'done' : protocolFailure('The provider sent a tool call without a name.')
      }
      const chunk = asObject(parseJson(data))
      if (chunk === null) return protocolFailure('The provider sent a line that is not a JSON object.')
      if (chunk.error !== undefined && chunk.error !== null) return failureOfVendorError(chunk.error, secret)
      usage = usageOf(chunk.usage) ?? usage
      const choice = asObject(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined)
      if (choice === null || (choice.index ?? 0) !== 0) return reason === null ? 'streaming' : 'answered'
      return readChoice(choice, push)
    },
    finish() {
      if (refused) return { type: 'finish', reason: 'refusal', usage }
      // Several compatible servers say `stop` after tool calls.
      if (hasTakenCalls && reason !== 'length') return { type: 'finish', reason: 'tool-calls', usage }
      return { type: 'finish', reason: reason === 'tool-calls' ? 'stop' : (reason ?? 'stop'), usage }
    },
  }
}

function addToolCall(calls: ToolCallParts, toolCall: unknown): boolean {
  const fields = asObject(toolCall)
  if (fields === null) return true
  const id = asText(fields.id)
  const givenIndex = asCount(fields.index)
  // Some servers number every whole call 0: another id at the same index is another call.
  const collides = givenIndex !== null && id !== '' && calls.idAt(givenIndex) !== '' && calls.idAt(givenIndex) !== id
  const index = givenIndex === null || collides ? calls.indexFor(id) : givenIndex
  const called = asObject(fields.function)
  const written = called?.arguments
  const argumentsText = typeof written === 'object' && written !== null ? JSON.stringify(written) : asText(written)
  return calls.add(index, { id, name: asText(called?.name), argumentsText })
}

function finishReasonOf(finish: string): FinishReason {
  switch (finish) {
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'content_filter':
    case 'refusal':
      return 'refusal'
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls'
    default:
      return 'stop'
  }
}

function usageOf(value: unknown): ModelUsage | null {
  const usage = asObject(value)
  const inputTokens = asCount(usage?.prompt_tokens)
  const outputTokens = asCount(usage?.completion_tokens)
  if (usage === null || inputTokens === null || outputTokens === null) return null
  const cached = asCount(asObject(usage.prompt_tokens_details)?.cached_tokens) ?? 0
  return { inputTokens, outputTokens, cachedInputTokens: Math.min(cached, inputTokens) }
}
