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
import type { EngineReference, Versioned, VersionMetadata } from '../../kernel/versions/version-store.ts'
import { buildMetadataFields, buildVersionFields, type StoredEngineKind } from '../engines/public.ts'
import type { StoredAgentSettings, StoredChatAgentSettings } from './pinned-agent.ts'

type WithoutVersion<Engine> = Engine extends unknown ? Omit<Engine, 'version'> : never

/**
 * The stored content of an agent version: the contract object without derived fields. The engine version is stored in a
 * separate column.
 */
export type AgentDefinition = Pick<ChatAgent, keyof typeof CONVERSATION_SETTINGS> & {
  readonly response_engine: WithoutVersion<ResponseEngineInput>
}
export type VoiceAgentDefinition = AgentDefinition & StoredAgentSettings
export type ChatAgentDefinition = AgentDefinition & StoredChatAgentSettings

/** A definition and its engine reference. */
export interface AgentContent<Definition extends AgentDefinition = AgentDefinition> {
  readonly definition: Definition
  readonly engine: EngineReference | null
}

/** Builds the content of a new agent from a create body and default settings. */
export function defineAgent<Definition extends AgentDefinition>(
  settings: SettingList,
  body: { readonly response_engine: ResponseEngineInput },
): AgentContent<Definition> {
  return {
    definition: {
      ...copyDefaults(settings),
      ...pickSettings(settings, body),
      response_engine: omitEngineVersion(body.response_engine),
    } as unknown as Definition,
    engine: buildEngineReference(body.response_engine),
  }
}

/** Applies a PATCH body to an agent's content. Absent fields keep their values. */
export function editAgent<Definition extends AgentDefinition>(
  settings: SettingList,
  { definition: current, engine }: AgentContent<Definition>,
  body: { readonly response_engine?: ResponseEngineInput | undefined },
): AgentContent<Definition> {
  const { response_engine: newEngine } = body
  return {
    definition: {
      ...pickSettings(settings, current),
      ...pickSettings(settings, body),
      response_engine: newEngine === undefined ? current.response_engine : omitEngineVersion(newEngine),
    } as unknown as Definition,
    engine: newEngine === undefined ? engine : buildEngineReference(newEngine),
  }
}

/** Returns the content for the next version, without an automatically recorded engine version. */
export function getAgentContent<Definition extends AgentDefinition>({
  definition,
  engine,
}: Pick<Versioned<Definition>, 'definition' | 'engine'>): AgentContent<Definition> {
  return { definition, engine: engine === null || engine.pinned ? engine : { ...engine, version: null } }
}

export function getAgentEngineKind(definition: AgentDefinition): EngineKind {
  return getEngineKind(definition.response_engine.type)
}

/** Returns the kind of the agent's stored engine, or `null` for external engines. */
export function getStoredEngineKind(definition: AgentDefinition): StoredEngineKind | null {
  const kind = getAgentEngineKind(definition)
  return kind === 'custom-llm' ? null : kind
}

function omitEngineVersion(engine: ResponseEngineInput): AgentDefinition['response_engine'] {
  if ('llm_id' in engine) return { type: engine.type, llm_id: engine.llm_id }
  if ('conversation_flow_id' in engine) {
    return { type: engine.type, conversation_flow_id: engine.conversation_flow_id }
  }
  return { type: engine.type, llm_websocket_url: engine.llm_websocket_url }
}

function buildEngineReference(engine: ResponseEngineInput): EngineReference | null {
  if ('llm_websocket_url' in engine) return null
  const id = 'llm_id' in engine ? engine.llm_id : engine.conversation_flow_id
  const version = engine.version ?? null
  return { id, version, pinned: version !== null }
}

/** Builds the response fields that every agent version has in addition to its settings. */
export function describeVersion(agentVersion: Versioned<AgentDefinition>) {
  const response_engine: ResponseEngine = {
    ...agentVersion.definition.response_engine,
    version: agentVersion.engine?.version ?? null,
  }
  return {
    agent_id: agentVersion.id,
    ...buildVersionFields(agentVersion),
    response_engine,
    is_active: agentVersion.version === agentVersion.activeVersion,
  }
}

export function toAgentVersion(version: VersionMetadata): AgentVersion {
  return { agent_id: version.id, ...buildMetadataFields(version) }
}
