import type { LanguageModel, ModelEvent, ModelMessage, ModelRequest, ModelTool } from '../../ports.ts'
import { decide } from './decide.ts'
import { createKnowledgeReader } from './knowledge.ts'
import { readMessages } from './read-messages.ts'

/** About four characters make a token of English text; usage is an estimate. */
const charsPerToken = 4
const wordsPerDelta = 4

function charsOf(message: ModelMessage): number {
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
  for (let start = 0; start < words.length; start += wordsPerDelta)
    deltas.push(words.slice(start, start + wordsPerDelta).join(''))
  return deltas
}

/**
 * The model that is always there: a retrieval and rule engine without network and weights. It answers from the system messages
 * and tool results, fills tool arguments from what the user said, and picks transitions by their descriptions. The same request
 * always gets the same events. It never fails; usage is estimated at four characters a token.
 */
export function createOfflineModel(): LanguageModel {
  const readKnowledge = createKnowledgeReader()
  const toolChars = new WeakMap<ModelTool, number>()
  const sizeOf = (tool: ModelTool): number => {
    const known = toolChars.get(tool)
    if (known !== undefined) return known
    const size = tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length
    toolChars.set(tool, size)
    return size
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    if (request.signal.aborted) return
    const reading = readMessages(request.messages)
    const { text, calls } = decide(request, reading, readKnowledge(reading.systems))
    const inputChars =
      request.messages.reduce((sum, message) => sum + charsOf(message), 0) +
      request.tools.reduce((sum, tool) => sum + sizeOf(tool), 0)
    const maximumChars = (request.maxTokens ?? Number.POSITIVE_INFINITY) * charsPerToken
    let outputChars = 0
    for (const delta of deltasOf(text)) {
      if (request.signal.aborted) return
      if (outputChars > 0 && outputChars + delta.length > maximumChars) {
        yield { type: 'finish', reason: 'length', usage: usageOf(inputChars, outputChars) }
        return
      }
      outputChars += delta.length
      yield { type: 'text-delta', text: delta }
    }
    for (const [position, call] of calls.entries()) {
      if (request.signal.aborted) return
      const argumentsText = JSON.stringify(call.args)
      outputChars += call.name.length + argumentsText.length
      yield {
        type: 'tool-call',
        call: { id: `call_offline_${reading.callCount + position + 1}`, name: call.name, argumentsText },
      }
    }
    if (request.signal.aborted) return
    yield { type: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop', usage: usageOf(inputChars, outputChars) }
  }

  return { name: 'offline', stream }
}

function usageOf(
  inputChars: number,
  outputChars: number,
): { inputTokens: number; outputTokens: number; cachedInputTokens: number } {
  return {
    inputTokens: Math.ceil(inputChars / charsPerToken),
    outputTokens: Math.ceil(outputChars / charsPerToken),
    cachedInputTokens: 0,
  }
}
