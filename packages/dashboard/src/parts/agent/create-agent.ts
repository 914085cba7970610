import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import type { FlowFields, LlmFields } from './agent-body.ts'
import type { AnyAgent, NewAgent } from './agent-kind.ts'

/** What has to be made: an agent, and before it what it answers with where that is not there yet. */
export interface PlannedAgent<Value extends AnyAgent> {
  readonly agent: NewAgent<Value>
  readonly llm: LlmFields | null
  readonly flow: FlowFields | null
}

/** What was made for an agent that could not be made, and is still there. */
export interface LeftOver {
  readonly kind: 'llm' | 'flow'
  readonly id: string
}

/** The operations that making an agent needs. */
export interface CreateOperations<Value extends AnyAgent, Made extends Value> {
  readonly createLlm: (fields: LlmFields) => Promise<Pick<Llm, 'llm_id'>>
  readonly deleteLlm: (llmId: string) => Promise<unknown>
  readonly createFlow: (fields: FlowFields) => Promise<Pick<ConversationFlow, 'conversation_flow_id'>>
  readonly deleteFlow: (flowId: string) => Promise<unknown>
  readonly createAgent: (settings: NewAgent<Value>) => Promise<Made>
  /** Tells of what is left over, since it could not be deleted again. */
  readonly onLeftOver: (leftOver: LeftOver) => void
}

/**
 * Makes an agent, with an LLM configuration or a flow of its own where one is given. When the agent cannot be made, that goes
 * again: nobody would know what it is for.
 */
export async function createAgentWith<Value extends AnyAgent, Made extends Value>(
  operations: CreateOperations<Value, Made>,
  { agent, llm, flow }: PlannedAgent<Value>,
): Promise<Made> {
  const { createAgent, onLeftOver } = operations
  const made = await createEngine(operations, { llm, flow })
  if (made === null) return await createAgent(agent)
  try {
    return await createAgent({ ...agent, response_engine: made.engine })
  } catch (error) {
    await made.remove().catch(() => onLeftOver(made.leftOver))
    throw error
  }
}

interface MadeEngine {
  readonly engine: ResponseEngine
  readonly leftOver: LeftOver
  remove(): Promise<unknown>
}

async function createEngine<Value extends AnyAgent, Made extends Value>(
  { createLlm, deleteLlm, createFlow, deleteFlow }: CreateOperations<Value, Made>,
  { llm, flow }: Pick<PlannedAgent<Value>, 'llm' | 'flow'>,
): Promise<MadeEngine | null> {
  if (llm !== null) {
    const { llm_id: id } = await createLlm(llm)
    const engine = { type: 'llm', llm_id: id, version: null } as const
    return { engine, leftOver: { kind: 'llm', id }, remove: () => deleteLlm(id) }
  }
  if (flow === null) return null
  const { conversation_flow_id: id } = await createFlow(flow)
  const engine = { type: 'conversation-flow', conversation_flow_id: id, version: null } as const
  return { engine, leftOver: { kind: 'flow', id }, remove: () => deleteFlow(id) }
}
