import type { EngineType } from '@parley/contract/response-engine'
import type { AgentFile, ReadFile } from '../agent-file-content.ts'
import type { AgentApi, AnyAgent, NewAgent } from '../agent-kind.ts'
import { emptyEngine, engineKindOf } from '../engine.ts'
import { isObject, type JsonObject } from '../json-value.ts'
import { takeAgent, takeFlow, takeLlm } from './retell-fields.ts'

type AgentKind = AgentApi<AnyAgent>['kind']

const ENGINE_TYPES = ['retell-llm', 'conversation-flow', 'custom-llm'] as const satisfies readonly EngineType[]
const engineTypeOf = (engine: unknown) =>
  isObject(engine) ? ENGINE_TYPES.find((type) => type === engine.type) : undefined

/** Whether a value is an agent as Retell exports it: its settings at the top, without a word on the kind of file. */
export function isRetellAgent(content: unknown): content is JsonObject {
  return isObject(content) && content.kind === undefined && 'response_engine' in content
}

/**
 * Reads an agent that was exported from Retell. The names of the settings are the same; what has no place here, or names a record
 * of the other platform, is left out and told. Whether the values are allowed the server says.
 */
export function readRetellAgent<Value extends AnyAgent>(kind: AgentKind, content: JsonObject): ReadFile<Value> {
  const answering = readAnswering(content)
  if ('fault' in answering) return { file: null, fault: answering.fault }
  if (kindOf(content) !== kind) return { file: null, fault: 'other-kind' }
  const { fields, leftOut } = takeAgent(kind, content)
  const { engine, llm, flow } = answering
  const agent = { ...fields, response_engine: engine } as NewAgent<Value>
  return { file: { agent, llm, flow, leftOut: [...leftOut, ...answering.leftOut] }, fault: null }
}

type Answering = Pick<AgentFile<AnyAgent>, 'llm' | 'flow' | 'leftOut'> & {
  readonly engine: NewAgent<AnyAgent>['response_engine']
}

/** What the agent answers with: an export from the dashboard of Retell holds it beside the settings. */
function readAnswering(
  content: JsonObject,
): Answering | { readonly fault: 'no-engine' | 'no-retell-llm' | 'no-retell-flow' } {
  const { response_engine: engine, retellLlmData: llmPart, conversationFlow: flowPart, responsiveness } = content
  const type = engineTypeOf(engine)
  if (type === undefined || !isObject(engine)) return { fault: 'no-engine' }
  const empty = emptyEngine(engineKindOf(type))
  if (type === 'retell-llm') {
    if (!isObject(llmPart)) return { fault: 'no-retell-llm' }
    const { fields, leftOut } = takeLlm(llmPart, { name: textOf(content.agent_name), responsiveness })
    return { engine: empty, llm: fields, flow: null, leftOut: below('retellLlmData', leftOut) }
  }
  // How fast it answers is a setting of LLM configurations here.
  const speed = typeof responsiveness === 'number' ? ['responsiveness'] : []
  if (type === 'conversation-flow') {
    if (!isObject(flowPart)) return { fault: 'no-retell-flow' }
    const { fields, leftOut } = takeFlow(flowPart, textOf(content.agent_name))
    return { engine: empty, llm: null, flow: fields, leftOut: [...speed, ...below('conversationFlow', leftOut)] }
  }
  const custom = { ...empty, llm_websocket_url: textOf(engine.llm_websocket_url) }
  return { engine: custom, llm: null, flow: null, leftOut: speed }
}

/** Chat agents say their channel, or have no voice. */
function kindOf({ channel, voice_id: voiceId }: JsonObject): AgentKind {
  if (channel === 'voice' || channel === 'chat') return channel === 'voice' ? 'agent' : 'chat-agent'
  return voiceId === undefined ? 'chat-agent' : 'agent'
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const below = (part: string, paths: readonly string[]): string[] => paths.map((path) => `${part}.${path}`)
