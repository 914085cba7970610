import type { LanguageModel, ModelEvent, ModelMessage, ModelRequest, ModelTool } from '@parley/engine/ports'
import { readConversation } from './conversation.ts'
import { decide } from './decide.ts'
import { groupsByStem } from './words.ts'

/** About four characters make a token of English text; usage is an estimate. */
const CHARACTERS_PER_TOKEN = 4
const WORDS_PER_DELTA = 4

function charactersOf(message: ModelMessage): number {
  if (message.role !== 'assistant') return message.content.length
  return message.toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.argumentsText.length,
    message.content.length,
  )
}

/** A few words at a time, so that speech can begin before the text is complete; joined they are the text. */
function deltasOf(text: string): string[] {
  const words = text.match(/\S+\s*/g) ?? []
  const deltas: string[] = []
  for (let start = 0; start < words.length; start += WORDS_PER_DELTA)
    deltas.push(words.slice(start, start + WORDS_PER_DELTA).join(''))
  return deltas
}

/**
 * The built-in model: rules without a network and weights. The same request always gets the same events. It never fails;
 * usage is estimated at four characters a token.
 */
export function createOfflineModel(): LanguageModel {
  groupsByStem()
  const toolSizes = new WeakMap<ModelTool, number>()
  const sizeOf = (tool: ModelTool): number => {
    const known = toolSizes.get(tool)
    if (known !== undefined) return known
    const size = tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length
    toolSizes.set(tool, size)
    return size
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    if (request.signal.aborted) return
    const conversation = readConversation(request.messages)
    const { text, calls } = decide(request, conversation)
    const inputCharacters =
      request.messages.reduce((sum, message) => sum + charactersOf(message), 0) +
      request.tools.reduce((sum, tool) => sum + sizeOf(tool), 0)
    const maxCharacters = (request.maxTokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_TOKEN
    let outputCharacters = 0
    for (const delta of deltasOf(text)) {
      if (request.signal.aborted) return
      if (outputCharacters > 0 && outputCharacters + delta.length > maxCharacters) {
        yield { type: 'finish', reason: 'length', usage: usageOf(inputCharacters, outputCharacters) }
        return
      }
      outputCharacters += delta.length
      yield { type: 'text-delta', text: delta }
    }
    for (const [position, call] of calls.entries()) {
      if (request.signal.aborted) return
      const argumentsText = JSON.stringify(call.args)
      outputCharacters += call.name.length + argumentsText.length
      yield {
        type: 'tool-call',
        call: { id: `call_offline_${conversation.calls.length + position + 1}`, name: call.name, argumentsText },
      }
    }
    if (request.signal.aborted) return
    yield {
      type: 'finish',
      reason: calls.length > 0 ? 'tool-calls' : 'stop',
      usage: usageOf(inputCharacters, outputCharacters),
    }
  }

  return { name: 'offline', stream }
}

function usageOf(
  inputCharacters: number,
  outputCharacters: number,
): { inputTokens: number; outputTokens: number; cachedInputTokens: number } {
  return {
    inputTokens: Math.ceil(inputCharacters / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(outputCharacters / CHARACTERS_PER_TOKEN),
    cachedInputTokens: 0,
  }
}
