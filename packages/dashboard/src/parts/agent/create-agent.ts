import type { Llm } from '@parley/contract/llm'
import type { LlmFields } from './agent-body.ts'
import type { AnyAgent, NewAgent } from './agent-kind.ts'

/** The operations that making an agent needs. */
export interface CreateOperations<Value extends AnyAgent> {
  readonly createLlm: (fields: LlmFields) => Promise<Pick<Llm, 'llm_id'>>
  readonly deleteLlm: (llmId: string) => Promise<unknown>
  readonly createAgent: (settings: NewAgent<Value>) => Promise<Value>
  /** Tells of an LLM configuration that is left over, since it could not be deleted again. */
  readonly onLeftOver: (llmId: string) => void
}

/**
 * Makes an agent, with an LLM configuration of its own where `llm` is given. When the agent cannot be made, the configuration goes
 * again: nobody would know what it is for.
 */
export async function createAgentWith<Value extends AnyAgent>(
  { createLlm, deleteLlm, createAgent, onLeftOver }: CreateOperations<Value>,
  { agent, llm }: { readonly agent: NewAgent<Value>; readonly llm: LlmFields | null },
): Promise<Value> {
  if (llm === null) return await createAgent(agent)
  const { llm_id: llmId } = await createLlm(llm)
  try {
    return await createAgent({ ...agent, response_engine: { type: 'llm', llm_id: llmId, version: null } })
  } catch (error) {
    await deleteLlm(llmId).catch(() => onLeftOver(llmId))
    throw error
  }
}
