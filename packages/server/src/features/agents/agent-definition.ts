import type { AgentVersion } from '@parley/contract/agent'
import type { CONVERSATION_SETTINGS } from '@parley/contract/agent-settings/conversation-settings'
import { copyDefaults, pickSettings, type SettingList } from '@parley/contract/agent-settings/setting'
import type { ChatAgent } from '@parley/contract/chat-agent'
import {
  type EngineKind,
  getEngineKind,
  type ResponseEngine,
  type ResponseEngineInput,
} from '@parley/contract/response-engine'
import type { EngineReference, Versioned, VersionOutline } from '../../kernel/versions/version-store.ts'
import { outlineFields, type StoredEngineKind, versionFields } from '../engines/public.ts'
import type { StoredAgentSettings, StoredChatAgentSettings } from './pinned-agent.ts'

type WithoutVersion<Engine> = Engine extends unknown ? Omit<Engine, 'version'> : never

/**
 * What a version of any kind stores: the contract object without derived fields. The engine version has its own column.
 */
export type AgentDefinition = Pick<ChatAgent, keyof typeof CONVERSATION_SETTINGS> & {
  readonly response_engine: WithoutVersion<ResponseEngineInput>
}
export type VoiceAgentDefinition = AgentDefinition & StoredAgentSettings
export type ChatAgentDefinition = AgentDefinition & StoredChatAgentSettings

/** A definition together with the engine version that the caller set, if any. */
export interface AgentContent<Definition extends AgentDefinition = AgentDefinition> {
  readonly definition: Definition
  readonly engine: EngineReference | null
}

/** Builds the settings of an agent kind from a body and an engine. */
export function defineAgent<Definition extends AgentDefinition>(
  settings: SettingList,
  body: { readonly response_engine: ResponseEngineInput },
): AgentContent<Definition> {
  return {
    definition: {
      ...copyDefaults(settings),
      ...pickSettings(settings, body),
      response_engine: withoutVersion(body.response_engine),
    } as unknown as Definition,
    engine: referenceEngine(body.response_engine),
  }
}

/** Applies a PATCH body; absent fields keep their values. */
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

/** Content of the next version: only what callers set, without an automatically recorded engine version. */
export function contentOf<Definition extends AgentDefinition>({
  definition,
  engine,
}: Pick<Versioned<Definition>, 'definition' | 'engine'>): AgentContent<Definition> {
  return { definition, engine: engine === null || engine.pinned ? engine : { ...engine, version: null } }
}

export function engineKindOf(definition: AgentDefinition): EngineKind {
  return getEngineKind(definition.response_engine.type)
}

/** Returns `null` for external engines. */
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

/** Fields of every response besides the settings. */
export function describeVersion(found: Versioned<AgentDefinition>) {
  const response_engine: ResponseEngine = {
    ...found.definition.response_engine,
    version: found.engine?.version ?? null,
  }
  return {
    agent_id: found.id,
    ...versionFields(found),
    response_engine,
    is_active: found.version === found.activeVersion,
  }
}

export function toAgentVersion(found: VersionOutline): AgentVersion {
  return { agent_id: found.id, ...outlineFields(found) }
}
