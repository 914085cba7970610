import type { ModelEvent, ModelUsage } from '@parley/engine/ports'
import { createToolCallParts } from './tool-call-parts.ts'
import { asCount, asObject, asText, parseJson } from './unknown-json.ts'
import type { WireProgress, WireReader } from './wire-client.ts'
import { failureOfVendorError, protocolFailure } from './wire-failure.ts'

type FinishReason = Extract<ModelEvent, { type: 'finish' }>['reason']
type Fields = Readonly<Record<string, unknown>>

/** Reads the events of a message. Thinking, pings and unknown blocks are ignored. `secret` never appears in a failure. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one reader: a case for each kind of event.
export function createAnthropicReader(secret: string | undefined): WireReader {
  const calls = createToolCallParts()
  const counts: Record<string, number> = {}
  let reason: FinishReason | null = null
  let hasTakenCalls = false

  /** Later reports are cumulative: they replace earlier ones field by field. */
  function noteUsage(value: unknown): void {
    for (const [field, count] of Object.entries(asObject(value) ?? {})) {
      const tokens = asCount(count)
      if (tokens !== null) counts[field] = tokens
    }
  }

  function readBlockStart(event: Fields, push: (event: ModelEvent) => void): WireProgress {
    const block = asObject(event.content_block)
    const text = block?.type === 'text' ? asText(block.text) : ''
    if (text !== '') push({ type: 'text-delta', text })
    if (block?.type !== 'tool_use') return 'streaming'
    const input = asObject(block.input)
    const argumentsText = input === null || Object.keys(input).length === 0 ? '' : JSON.stringify(input)
    const call = { id: asText(block.id), name: asText(block.name), argumentsText }
    return calls.add(asCount(event.index) ?? calls.size, call) ? 'streaming' : tooManyToolCalls()
  }

  function readBlockDelta(event: Fields, push: (event: ModelEvent) => void): WireProgress {
    const delta = asObject(event.delta)
    if (delta?.type === 'text_delta') {
      const text = asText(delta.text)
      if (text !== '') push({ type: 'text-delta', text })
      return 'streaming'
    }
    const index = asCount(event.index)
    // Tools that the provider runs itself stream their input, too; those blocks were never opened here.
    if (delta?.type !== 'input_json_delta' || index === null || !calls.has(index)) return 'streaming'
    return calls.add(index, { id: '', name: '', argumentsText: asText(delta.partial_json) })
      ? 'streaming'
      : tooManyToolCalls()
  }

  function close(stopReason: string, push: (event: ModelEvent) => void): WireProgress {
    if (reason !== null) return 'answered'
    reason = finishReasonOf(stopReason)
    const taken = calls.take(reason === 'length' || reason === 'refusal')
    if (taken === null) return protocolFailure('The provider sent a tool call without a name.')
    hasTakenCalls = taken.length > 0
    for (const call of taken) push({ type: 'tool-call', call })
    return 'answered'
  }

  return {
    read({ data }, push) {
      const event = asObject(parseJson(data))
      if (event === null) return protocolFailure('The provider sent a line that is not a JSON object.')
      switch (event.type) {
        case 'content_block_delta':
          return readBlockDelta(event, push)
        case 'content_block_start':
          return readBlockStart(event, push)
        case 'message_start':
          noteUsage(asObject(event.message)?.usage)
          return 'streaming'
        case 'message_delta': {
          noteUsage(event.usage)
          const stopReason = asText(asObject(event.delta)?.stop_reason)
          return stopReason === '' ? (reason === null ? 'streaming' : 'answered') : close(stopReason, push)
        }
        case 'message_stop': {
          const progress = close('end_turn', push)
          return progress === 'answered' ? 'done' : progress
        }
        case 'error':
          return failureOfVendorError(event.error, secret)
        default:
          return reason === null ? 'streaming' : 'answered'
      }
    },
    finish() {
      const usage = usageOf(counts)
      if (hasTakenCalls && reason === 'stop') return { type: 'finish', reason: 'tool-calls', usage }
      return { type: 'finish', reason: reason === 'tool-calls' && !hasTakenCalls ? 'stop' : (reason ?? 'stop'), usage }
    },
  }
}

function tooManyToolCalls(): WireProgress {
  return protocolFailure('The provider sent too many or too long tool calls.')
}

function finishReasonOf(stopReason: string): FinishReason {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'tool_use':
      return 'tool-calls'
    case 'refusal':
      return 'refusal'
    default:
      return 'stop'
  }
}

/** This provider counts cache reads and writes beside `input_tokens`; here they are part of the input. */
function usageOf(counts: Readonly<Record<string, number>>): ModelUsage | null {
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached = 0 } = counts
  if (input === undefined || output === undefined) return null
  const inputTokens = input + cached + (counts.cache_creation_input_tokens ?? 0)
  return { inputTokens, outputTokens: output, cachedInputTokens: cached }
}
