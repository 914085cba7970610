import type { ResponseEngine } from '@parley/contract/response-engine'
import { type LlmFields, llmFields } from '../agent-body.ts'
import type { AgentFile } from '../agent-file.ts'
import type { AnyAgent } from '../agent-kind.ts'

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

export interface PlannedAgent<Value extends AnyAgent> {
  readonly settings: Partial<Value> & { readonly response_engine: ResponseEngine }
  /** A configuration that is made for it first; null where it answers with something that is there. */
  readonly llm: LlmFields | null
}

/** What has to be made. */
export function planAgent<Value extends AnyAgent>(form: NewAgentForm<Value>): PlannedAgent<Value> {
  if (form.way === 'import' && form.file !== null) {
    const { agent, llm } = form.file
    const engine: ResponseEngine = { ...agent.response_engine, version: null }
    return { settings: { ...agent, response_engine: engine }, llm: llm && llmFields(llm) }
  }
  const named = { agent_name: form.name.trim(), language: form.language }
  const settings = { ...named, response_engine: engineOf(form) } as PlannedAgent<Value>['settings']
  if (form.way !== 'prompt') return { settings, llm: null }
  return {
    settings,
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
