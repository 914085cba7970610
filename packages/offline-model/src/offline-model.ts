import type { LanguageModel, ModelEvent, ModelRequest, ModelUsage } from '@parley/engine/ports'
import { readConversation } from './conversation.ts'
import { decide } from './decide.ts'
import { groupByStem } from './words.ts'

/** An estimate for English text. */
const CHARACTERS_PER_TOKEN = 4
/** A few words at a time, so that speech can start before the text is complete. */
const DELTA = /(?:\S+\s*){1,4}/g

function countInputCharacters({ messages, tools }: ModelRequest): number {
  const inMessages = messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? message.toolCalls : []
    return calls.reduce((all, call) => all + call.name.length + call.argumentsText.length, sum + message.content.length)
  }, 0)
  return inMessages + tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0)
}

/**
 * Creates the built-in rule-based model, which needs no network access or weights. Equal requests produce equal events,
 * and no request fails. Token usage is estimated.
 */
export function createOfflineModel(): LanguageModel {
  groupByStem()
  return { name: 'offline', stream }
}

async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
  if (request.signal.aborted) return
  const conversation = readConversation(request.messages)
  const { text, calls } = decide(request, conversation)
  const maxCharacters = (request.maxTokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_TOKEN
  let written = 0
  const usage = (): ModelUsage => ({
    inputTokens: Math.ceil(countInputCharacters(request) / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(written / CHARACTERS_PER_TOKEN),
    cachedInputTokens: 0,
  })
  for (const delta of text.match(DELTA) ?? []) {
    if (request.signal.aborted) return
    if (written > 0 && written + delta.length > maxCharacters) {
      yield { type: 'finish', reason: 'length', usage: usage() }
      return
    }
    written += delta.length
    yield { type: 'text-delta', text: delta }
  }
  for (const [position, { name, args }] of calls.entries()) {
    if (request.signal.aborted) return
    const argumentsText = JSON.stringify(args)
    written += name.length + argumentsText.length
    const id = `call_offline_${conversation.calls.length + position + 1}`
    yield { type: 'tool-call', call: { id, name, argumentsText } }
  }
  if (!request.signal.aborted) {
    yield { type: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop', usage: usage() }
  }
}
