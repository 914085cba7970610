import type { ResponseEngineInput } from '@parley/contract/response-engine'
import type { ResourceName } from '../../kernel/api/edits.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import type { AgentContent, AgentDefinition } from './agent-definition.ts'
import type { Engines } from './agent-ports.ts'

/** Kinds of agent as they are stored, each with the prefix of its ids and the words for it. */
const KINDS = {
  agent: { idPrefix: 'agent', what: 'agent' },
  'chat-agent': { idPrefix: 'chat_agent', what: 'chat agent' },
} as const

export type AgentResource = keyof typeof KINDS
export const AGENT_RESOURCES = Object.keys(KINDS) as readonly AgentResource[]

export type AgentIdPrefix = (typeof KINDS)[AgentResource]['idPrefix']

export function idPrefixOf(resource: AgentResource): AgentIdPrefix {
  return KINDS[resource].idPrefix
}

/** The kind behind an id, known or not: conversations and bindings name agents of every kind by their id alone. */
export function agentResourceOf(agentId: string): AgentResource {
  return agentId.startsWith(`${KINDS['chat-agent'].idPrefix}_`) ? 'chat-agent' : 'agent'
}

/** How refusals speak of an agent. */
export function agentName(id: string, resource: AgentResource = agentResourceOf(id)): ResourceName {
  return { what: KINDS[resource].what, id }
}

/** What sets one kind of agent apart; everything else about versions, engines and deletion is the same for all. */
export interface AgentKind<
  Definition extends AgentDefinition,
  CreateBody extends NewEngine,
  UpdateBody extends EngineChange,
  Answer,
> {
  readonly resource: AgentResource
  define(body: CreateBody): AgentContent<Definition>
  /** Applies a PATCH body: absent fields stay. */
  edit(current: AgentContent<Definition>, body: UpdateBody): AgentContent<Definition>
  /** Versions of one workspace's agents as answers, in their order and in one query at most. */
  describe(reader: Reader, engines: Engines, versions: readonly Versioned<Definition>[]): Promise<Answer[]>
}

/** The voices that a body or a stored definition names. Absent: nothing is said about it. */
export interface NamedVoices {
  readonly voice_id?: string | undefined
  readonly fallback_voice_ids?: readonly string[] | undefined
}

/** What the body of every kind says about the engine, and about voices where the kind has any. */
export interface NewEngine extends NamedVoices {
  readonly response_engine: ResponseEngineInput
}

/** The same of every PATCH body. */
export interface EngineChange extends NamedVoices {
  readonly response_engine?: ResponseEngineInput | undefined
}
