import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import type { AgentFile, AnyAgent, NewAgent } from '../agent-api.ts'
import { type FlowFields, type LlmFields, toLlmFields } from '../agent-body.ts'

export type CreateMethod = 'prompt' | 'flow' | 'custom' | 'import'

/** The form values for all creation methods, so that changing the method keeps the input. */
export interface NewAgentForm<Value extends AnyAgent> {
  readonly method: CreateMethod
  readonly name: string
  readonly language: string
  readonly prompt: string
  readonly beginMessage: string
  readonly flowId: string
  readonly url: string
  readonly file: AgentFile<Value> | null
}

export function createEmptyForm<Value extends AnyAgent>(language: string): NewAgentForm<Value> {
  return {
    method: 'prompt',
    name: '',
    language,
    prompt: '',
    beginMessage: '',
    flowId: '',
    url: 'wss://',
    file: null,
  }
}

/** Whether all required fields have a value. The server validates the rest. */
export function isFormComplete<Value extends AnyAgent>({ method, name, flowId, file }: NewAgentForm<Value>): boolean {
  if (method === 'import') return file !== null
  return name.trim() !== '' && (method !== 'flow' || flowId !== '')
}

export function buildAgentInput<Value extends AnyAgent>(form: NewAgentForm<Value>): CreateAgentInput<Value> {
  if (form.method === 'import' && form.file !== null) {
    const { agent, llm, flow } = form.file
    const engine: ResponseEngine = { ...agent.response_engine, version: null }
    return { agent: { ...agent, response_engine: engine }, llm: llm && toLlmFields(llm), flow }
  }
  const baseFields = { agent_name: form.name.trim(), language: form.language }
  const agent = { ...baseFields, response_engine: toResponseEngine(form) } as NewAgent<Value>
  if (form.method !== 'prompt') return { agent, llm: null, flow: null }
  return {
    agent,
    flow: null,
    llm: {
      display_name: baseFields.agent_name,
      general_prompt: form.prompt,
      ...(form.beginMessage !== '' && { begin_message: form.beginMessage }),
    },
  }
}

function toResponseEngine<Value extends AnyAgent>({ method, flowId, url }: NewAgentForm<Value>): ResponseEngine {
  if (method === 'flow') return { type: 'conversation-flow', conversation_flow_id: flowId, version: null }
  if (method === 'custom') return { type: 'custom-llm', llm_websocket_url: url.trim(), version: null }
  return { type: 'llm', llm_id: '', version: null }
}

/** An agent to create, plus the LLM configuration or flow to create first. */
export interface CreateAgentInput<Value extends AnyAgent> {
  readonly agent: NewAgent<Value>
  readonly llm: LlmFields | null
  readonly flow: FlowFields | null
}

/** An LLM configuration or flow that remains after creating its agent failed. */
export interface OrphanedRecord {
  readonly kind: 'llm' | 'flow'
  readonly id: string
}

export interface CreateOperations<Value extends AnyAgent, Created extends Value> {
  readonly createLlm: (fields: LlmFields) => Promise<Pick<Llm, 'llm_id'>>
  readonly deleteLlm: (llmId: string) => Promise<unknown>
  readonly createFlow: (fields: FlowFields) => Promise<Pick<ConversationFlow, 'conversation_flow_id'>>
  readonly deleteFlow: (flowId: string) => Promise<unknown>
  readonly createAgent: (settings: NewAgent<Value>) => Promise<Created>
  readonly onOrphanedRecord: (record: OrphanedRecord) => void
}

/** Creates an LLM configuration or flow and then the agent. Deletes the former if creating the agent fails. */
export async function createAgentWithEngine<Value extends AnyAgent, Created extends Value>(
  operations: CreateOperations<Value, Created>,
  { agent, llm, flow }: CreateAgentInput<Value>,
): Promise<Created> {
  const { createAgent, onOrphanedRecord } = operations
  const createdEngine = await createEngine(operations, { llm, flow })
  if (createdEngine === null) return await createAgent(agent)
  try {
    return await createAgent({ ...agent, response_engine: createdEngine.engine })
  } catch (error) {
    await createdEngine.remove().catch(() => onOrphanedRecord(createdEngine.record))
    throw error
  }
}

interface CreatedEngine {
  readonly engine: ResponseEngine
  readonly record: OrphanedRecord
  remove(): Promise<unknown>
}

async function createEngine<Value extends AnyAgent, Created extends Value>(
  { createLlm, deleteLlm, createFlow, deleteFlow }: CreateOperations<Value, Created>,
  { llm, flow }: Pick<CreateAgentInput<Value>, 'llm' | 'flow'>,
): Promise<CreatedEngine | null> {
  if (llm !== null) {
    const { llm_id: id } = await createLlm(llm)
    const engine = { type: 'llm', llm_id: id, version: null } as const
    return { engine, record: { kind: 'llm', id }, remove: () => deleteLlm(id) }
  }
  if (flow === null) return null
  const { conversation_flow_id: id } = await createFlow(flow)
  const engine = { type: 'conversation-flow', conversation_flow_id: id, version: null } as const
  return { engine, record: { kind: 'flow', id }, remove: () => deleteFlow(id) }
}
