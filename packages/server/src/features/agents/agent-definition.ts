import {
  AGENT_DEFAULTS,
  type Agent,
  type AgentVersion,
  type CreateAgentBody,
  type UpdateAgentBody,
} from '@parley/contract/agent'
import { type EngineKind, engineKind, type ResponseEngineInput } from '@parley/contract/response-engine'
import type { ResourceName } from '../../kernel/edits.ts'
import type { EngineReference, Versioned, VersionOutline } from '../../kernel/version-store.ts'

type WithoutVersion<Engine> = Engine extends unknown ? Omit<Engine, 'version'> : never

/** What a version of an agent stores: the contract object without what is derived. The engine's version has a column. */
export type AgentDefinition = Pick<
  Agent,
  | 'agent_name'
  | 'voice_id'
  | 'response_threshold'
  | 'interruption_sensitivity'
  | 'ambient_sound'
  | 'max_call_duration_ms'
  | 'language'
  | 'timezone'
  | 'fallback_models'
  | 'fallback_message'
> & { readonly response_engine: WithoutVersion<ResponseEngineInput> }

/** A definition together with what callers set about the engine's version. */
export interface AgentContent {
  readonly definition: AgentDefinition
  readonly engine: EngineReference | null
}

export function defineAgent(body: Omit<CreateAgentBody, 'workspaceId'>): AgentContent {
  return {
    definition: {
      agent_name: body.agent_name,
      voice_id: body.voice_id,
      response_engine: withoutVersion(body.response_engine),
      response_threshold: body.response_threshold,
      interruption_sensitivity: body.interruption_sensitivity,
      ambient_sound: body.ambient_sound,
      max_call_duration_ms: AGENT_DEFAULTS.max_call_duration_ms,
      language: body.language,
      timezone: body.timezone,
      fallback_models: body.fallback_models,
      fallback_message: body.fallback_message,
    },
    engine: referenceEngine(body.response_engine),
  }
}

/** Applies a PATCH body: absent fields stay. */
export function editAgent({ definition: current, engine }: AgentContent, body: UpdateAgentBody): AgentContent {
  const { response_engine: given } = body
  return {
    definition: {
      agent_name: body.agent_name ?? current.agent_name,
      voice_id: body.voice_id ?? current.voice_id,
      response_engine: given === undefined ? current.response_engine : withoutVersion(given),
      response_threshold: body.response_threshold ?? current.response_threshold,
      interruption_sensitivity: body.interruption_sensitivity ?? current.interruption_sensitivity,
      ambient_sound: body.ambient_sound ?? current.ambient_sound,
      max_call_duration_ms: body.max_call_duration_ms ?? current.max_call_duration_ms,
      language: body.language ?? current.language,
      timezone: body.timezone ?? current.timezone,
      fallback_models: body.fallback_models ?? current.fallback_models,
      fallback_message: body.fallback_message === undefined ? current.fallback_message : body.fallback_message,
    },
    engine: given === undefined ? engine : referenceEngine(given),
  }
}

/** What the next version takes over: only what callers set, so that an engine version that was merely recorded is left behind. */
export function contentOf({
  definition,
  engine,
}: Pick<Versioned<AgentDefinition>, 'definition' | 'engine'>): AgentContent {
  return { definition, engine: engine === null || engine.pinned ? engine : { ...engine, version: null } }
}

export function kindOf(definition: AgentDefinition): EngineKind {
  return engineKind(definition.response_engine.type)
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

/** What an answer holds beside the stored version. */
export interface DerivedFields {
  readonly responsiveness: string
  readonly isActive: boolean
}

export function toAgent(found: Versioned<AgentDefinition>, derived: DerivedFields): Agent {
  const { definition } = found
  return {
    agent_id: found.id,
    workspaceId: found.workspaceId,
    version: found.version,
    agent_name: definition.agent_name,
    voice_id: definition.voice_id,
    response_engine: { ...definition.response_engine, version: found.engine?.version ?? null },
    response_threshold: definition.response_threshold,
    interruption_sensitivity: definition.interruption_sensitivity,
    ambient_sound: definition.ambient_sound,
    responsiveness: derived.responsiveness,
    max_call_duration_ms: definition.max_call_duration_ms,
    language: definition.language,
    timezone: definition.timezone,
    fallback_models: definition.fallback_models,
    fallback_message: definition.fallback_message,
    is_published: found.published,
    is_frozen: found.frozen,
    is_active: derived.isActive,
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

/** How refusals speak of an agent. */
export const agentName = (id: string): ResourceName => ({ what: 'agent', id })
