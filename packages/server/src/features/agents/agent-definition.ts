import type { AgentVersion } from '@parley/contract/agent'
import type { CONVERSATION_SETTINGS } from '@parley/contract/agent-settings/conversation-settings'
import { defaultsOf, pickSettings, type SettingList } from '@parley/contract/agent-settings/setting'
import type { ChatAgent } from '@parley/contract/chat-agent'
import {
  type EngineKind,
  engineKind,
  type ResponseEngine,
  type ResponseEngineInput,
} from '@parley/contract/response-engine'
import type { EngineReference, Versioned, VersionOutline } from '../../kernel/versions/version-store.ts'
import type { StoredEngineKind } from '../engines/public.ts'
import type { StoredAgentSettings, StoredChatAgentSettings } from './agent-settings.ts'

/** What versions of agents store: their settings and their engine. */

type WithoutVersion<Engine> = Engine extends unknown ? Omit<Engine, 'version'> : never

/** What a version of any kind stores: the contract object without what is derived. The engine's version has a column. */
export type AgentDefinition = Pick<ChatAgent, keyof typeof CONVERSATION_SETTINGS> & {
  readonly response_engine: WithoutVersion<ResponseEngineInput>
}
export type VoiceAgentDefinition = AgentDefinition & StoredAgentSettings
export type ChatAgentDefinition = AgentDefinition & StoredChatAgentSettings

/** A definition together with what callers set about the engine's version. */
export interface AgentContent<Definition extends AgentDefinition = AgentDefinition> {
  readonly definition: Definition
  readonly engine: EngineReference | null
}

/** Settings of a kind of agent as a body gives them, with an engine. */
export function defineAgent<Definition extends AgentDefinition>(
  settings: SettingList,
  body: { readonly response_engine: ResponseEngineInput },
): AgentContent<Definition> {
  return {
    definition: {
      ...defaultsOf(settings),
      ...pickSettings(settings, body),
      response_engine: withoutVersion(body.response_engine),
    } as unknown as Definition,
    engine: referenceEngine(body.response_engine),
  }
}

/** Applies a PATCH body: absent fields stay. */
export function editAgent<Definition extends AgentDefinition>(
  settings: SettingList,
  { definition: current, engine }: AgentContent<Definition>,
  body: { readonly response_engine?: ResponseEngineInput | undefined },
): AgentContent<Definition> {
  const { response_engine: given } = body
  return {
    definition: {
      ...pickSettings(settings, current),
      ...pickSettings(settings, body),
      response_engine: given === undefined ? current.response_engine : withoutVersion(given),
    } as unknown as Definition,
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

/** What answers of every kind say beside the settings. */
export function describeVersion(found: Versioned<AgentDefinition>) {
  const response_engine: ResponseEngine = {
    ...found.definition.response_engine,
    version: found.engine?.version ?? null,
  }
  return {
    agent_id: found.id,
    workspaceId: found.workspaceId,
    version: found.version,
    response_engine,
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
