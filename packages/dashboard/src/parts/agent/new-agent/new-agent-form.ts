import type { ResponseEngine } from '@parley/contract/response-engine'
import { llmFields } from '../agent-body.ts'
import type { AgentFile } from '../agent-file-content.ts'
import type { AnyAgent, NewAgent } from '../agent-kind.ts'
import type { PlannedAgent } from '../create-agent.ts'

/** Ways to make an agent. */
export const WAYS = ['prompt', 'flow', 'custom', 'import'] as const
export type Way = (typeof WAYS)[number]

/** What was typed and chosen, for all ways at once: changing the way loses nothing. */
export interface NewAgentForm<Value extends AnyAgent> {
  readonly way: Way
  readonly name: string
  readonly language: string
  readonly prompt: string
  readonly beginMessage: string
  readonly flowId: string
  readonly url: string
  readonly file: AgentFile<Value> | null
}

export function emptyForm<Value extends AnyAgent>(language: string): NewAgentForm<Value> {
  return {
    way: 'prompt',
    name: '',
    language,
    prompt: '',
    beginMessage: '',
    flowId: '',
    url: 'wss://',
    file: null,
  }
}

/** Whether there is enough to try it; the rest the server says. */
export function isComplete<Value extends AnyAgent>({ way, name, flowId, file }: NewAgentForm<Value>): boolean {
  if (way === 'import') return file !== null
  return name.trim() !== '' && (way !== 'flow' || flowId !== '')
}

/** What has to be made. */
export function planAgent<Value extends AnyAgent>(form: NewAgentForm<Value>): PlannedAgent<Value> {
  if (form.way === 'import' && form.file !== null) {
    const { agent, llm, flow } = form.file
    const engine: ResponseEngine = { ...agent.response_engine, version: null }
    return { agent: { ...agent, response_engine: engine }, llm: llm && llmFields(llm), flow }
  }
  const named = { agent_name: form.name.trim(), language: form.language }
  const agent = { ...named, response_engine: engineOf(form) } as NewAgent<Value>
  if (form.way !== 'prompt') return { agent, llm: null, flow: null }
  return {
    agent,
    flow: null,
    llm: {
      display_name: named.agent_name,
      general_prompt: form.prompt,
      ...(form.beginMessage !== '' && { begin_message: form.beginMessage }),
    },
  }
}

function engineOf<Value extends AnyAgent>({ way, flowId, url }: NewAgentForm<Value>): ResponseEngine {
  if (way === 'flow') return { type: 'conversation-flow', conversation_flow_id: flowId, version: null }
  if (way === 'custom') return { type: 'custom-llm', llm_websocket_url: url.trim(), version: null }
  return { type: 'llm', llm_id: '', version: null }
}
