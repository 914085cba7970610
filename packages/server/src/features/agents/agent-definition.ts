import type { AgentVersion } from '@parley/contract/agent'
import type { ChatAgent, CreateChatAgentBody, UpdateChatAgentBody } from '@parley/contract/chat-agent'
import { type EngineKind, engineKind, type ResponseEngineInput } from '@parley/contract/response-engine'
import type { StoredEngineKind } from '../../kernel/engine-source.ts'
import type { EngineReference, Versioned, VersionOutline } from '../../kernel/version-store.ts'
import {
  type AfterwardsSettings,
  afterwardsSettings,
  type ChatAnalysisSettings,
  givenAfterwards,
} from './after-conversation.ts'

/** What agents of every kind have in common: an engine and the settings of a conversation. */

type WithoutVersion<Engine> = Engine extends unknown ? Omit<Engine, 'version'> : never

/** What a version stores: the contract object without what is derived. The engine's version has a column. */
export type AgentDefinition = Pick<
  ChatAgent,
  'agent_name' | 'language' | 'timezone' | 'fallback_models' | 'fallback_message'
> & { readonly response_engine: WithoutVersion<ResponseEngineInput> } & Partial<AfterwardsSettings>

/** A definition together with what callers set about the engine's version. */
export interface AgentContent<Definition extends AgentDefinition = AgentDefinition> {
  readonly definition: Definition
  readonly engine: EngineReference | null
}

/** What bodies of every kind have in common; the words for analysis and events are those of the kind. */
type CommonBody<Body> = Omit<Body, 'workspaceId' | keyof ChatAnalysisSettings | 'webhook_events'> & {
  readonly webhook_events?: AfterwardsSettings['webhook_events'] | undefined
}

export function defineConversation(body: CommonBody<CreateChatAgentBody>): AgentContent {
  return {
    definition: {
      agent_name: body.agent_name,
      response_engine: withoutVersion(body.response_engine),
      language: body.language,
      timezone: body.timezone,
      fallback_models: body.fallback_models,
      fallback_message: body.fallback_message,
      ...givenAfterwards(body),
    },
    engine: referenceEngine(body.response_engine),
  }
}

/** Applies a PATCH body: absent fields stay. */
export function editConversation(
  { definition: current, engine }: AgentContent,
  body: CommonBody<UpdateChatAgentBody>,
): AgentContent {
  const { response_engine: given } = body
  return {
    definition: {
      agent_name: body.agent_name ?? current.agent_name,
      response_engine: given === undefined ? current.response_engine : withoutVersion(given),
      language: body.language ?? current.language,
      timezone: body.timezone ?? current.timezone,
      fallback_models: body.fallback_models ?? current.fallback_models,
      fallback_message: body.fallback_message === undefined ? current.fallback_message : body.fallback_message,
      ...givenAfterwards(current),
      ...givenAfterwards(body),
    },
    engine: given === undefined ? engine : referenceEngine(given),
  }
}

/** What the next version takes over: only what callers set, so that an engine version that was merely recorded is left behind. */
export function contentOf<Definition extends AgentDefinition>({
  definition,
  engine,
}: Pick<Versioned<Definition>, 'definition' | 'engine'>): AgentContent<Definition> {
  return { definition, engine: engine === null || engine.pinned ? engine : { ...engine, version: null } }
}

export function engineKindOf(definition: AgentDefinition): EngineKind {
  return engineKind(definition.response_engine.type)
}

/** `null` for engines that are not resources of ours. */
export function storedEngineKindOf(definition: AgentDefinition): StoredEngineKind | null {
  const kind = engineKindOf(definition)
  return kind === 'custom-llm' ? null : kind
}

function withoutVersion(engine: ResponseEngineInput): AgentDefinition['response_engine'] {
  if ('llm_id' in engine) return { type: engine.type, llm_id: engine.llm_id }
  if ('conversation_flow_id' in engine) {
    return { type: engine.type, conversation_flow_id: engine.conversation_flow_id }
  }
  return { type: engine.type, llm_websocket_url: engine.llm_websocket_url }
}

function referenceEngine(engine: ResponseEngineInput): EngineReference | null {
  if ('llm_websocket_url' in engine) return null
  const id = 'llm_id' in engine ? engine.llm_id : engine.conversation_flow_id
  const version = engine.version ?? null
  return { id, version, pinned: version !== null }
}

/** The fields that answers of every kind have. */
export function toConversationFields(found: Versioned<AgentDefinition>): Omit<ChatAgent, keyof ChatAnalysisSettings> {
  const { definition } = found
  return {
    agent_id: found.id,
    workspaceId: found.workspaceId,
    version: found.version,
    agent_name: definition.agent_name,
    response_engine: { ...definition.response_engine, version: found.engine?.version ?? null },
    language: definition.language,
    timezone: definition.timezone,
    fallback_models: definition.fallback_models,
    fallback_message: definition.fallback_message,
    ...afterwardsSettings(definition),
    is_published: found.published,
    is_frozen: found.frozen,
    is_active: found.version === found.activeVersion,
    version_title: found.title,
    version_description: found.description,
    created_at: new Date(found.createdAt).toISOString(),
    updated_at: new Date(found.updatedAt).toISOString(),
  }
}

export function toAgentVersion(found: VersionOutline): AgentVersion {
  return {
    agent_id: found.id,
    version: found.version,
    is_published: found.published,
    is_frozen: found.frozen,
    version_title: found.title,
    version_description: found.description,
    updated_at: new Date(found.updatedAt).toISOString(),
  }
}
