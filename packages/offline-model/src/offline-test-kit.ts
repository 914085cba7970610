import type { CodeRunner, JsonObject, ModelMessage, ModelRequest, ModelTool } from '@parley/engine/ports'
import { joinStreamedText, runScenario, type ScenarioOptions } from '@parley/engine/testing/dialogue-scenario'
import { type ConversationMemory, EMPTY_MEMORY, listTransitions, storeTurn } from '@parley/engine/testing/flow-scenario'
import { createOfflineModel } from './offline-model.ts'

/** The model's answer to one request. */
export interface Answer {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: unknown }[]
}

export async function generate(request: Partial<ModelRequest> & Pick<ModelRequest, 'messages'>): Promise<Answer> {
  let text = ''
  const calls: { name: string; args: unknown }[] = []
  const signal = new AbortController().signal
  for await (const event of createOfflineModel().stream({ tools: [], toolChoice: 'auto', signal, ...request })) {
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'tool-call') calls.push({ name: event.call.name, args: JSON.parse(event.call.argumentsText) })
  }
  return { text, calls }
}

export const system = (content: string): ModelMessage => ({ role: 'system', content })
export const user = (content: string): ModelMessage => ({ role: 'user', content })
export const agent = (content: string): ModelMessage => ({ role: 'assistant', content, toolCalls: [] })
/** A call and its result. */
export const called = (name: string, args: JsonObject, result: string): ModelMessage[] => [
  { role: 'assistant', content: '', toolCalls: [{ id: name, name, argumentsText: JSON.stringify(args) }] },
  { role: 'tool', toolCallId: name, name, content: result },
]

export function createTool(
  name: string,
  description: string,
  properties: JsonObject = {},
  required: readonly string[] = [],
): ModelTool {
  return { name, description, parameters: { type: 'object', properties, required } }
}

/** The agent's reaction to one message. */
export interface Turn {
  readonly text: string
  readonly calls: readonly string[]
  /** The nodes of a flow that the turn went through. */
  readonly way: readonly string[]
}

/** Runs a conversation through the real engine, including the agent's greeting; returns the turns. */
export async function talk(
  agentOf: Pick<ScenarioOptions, 'engine' | 'graph'> & { readonly greeting?: string; readonly code?: CodeRunner },
  lines: readonly string[],
): Promise<Turn[]> {
  const { greeting, code, ...options } = agentOf
  const models = { main: { model: createOfflineModel(), requests: [], assertConsumed: () => {} } }
  const scene = { ...options, models, ...(code !== undefined && { ports: { code } }) }
  const opening = greeting === undefined ? [] : [{ role: 'assistant' as const, content: greeting, toolCalls: [] }]
  let memory: ConversationMemory = { ...EMPTY_MEMORY, history: opening }
  if (options.graph?.kind === 'conversation-flow' && greeting === undefined) {
    const events = await runScenario({
      ...scene,
      conversation: memory,
      input: { type: 'unprompted', reason: 'opening' },
    })
    memory = storeTurn(memory, null, events)
  }
  const turns: Turn[] = []
  for (const content of lines) {
    const input = { type: 'user-message', content } as const
    const events = await runScenario({ ...scene, conversation: memory, input })
    memory = storeTurn(memory, content, events)
    const calls = events.flatMap((event) => (event.type === 'message-end' ? event.toolCalls : []))
    turns.push({ text: joinStreamedText(events), calls: calls.map(({ name }) => name), way: listTransitions(events) })
  }
  return turns
}
