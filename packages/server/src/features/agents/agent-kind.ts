import type { Agent, CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { ChatAgent, CreateChatAgentBody, UpdateChatAgentBody } from '@parley/contract/chat-agent'
import type { ResponseEngineInput } from '@parley/contract/response-engine'
import type { ResourceName } from '../../kernel/api/edits.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import {
  type AgentContent,
  type AgentDefinition,
  type ChatAgentDefinition,
  defineAgent,
  describeVersion,
  editAgent,
  getAgentEngineKind,
  type VoiceAgentDefinition,
} from './agent-definition.ts'
import type { Engines, LlmSource } from './agent-ports.ts'
import { completeAgentSettings, completeChatAgentSettings } from './pinned-agent.ts'

/** Responsiveness of engines without this setting. */
export const DEFAULT_RESPONSIVENESS = 'balanced'

/** Reads the responsiveness of agent versions in one workspace. Returns a lookup function. */
async function readResponsiveness<Definition extends AgentDefinition>(
  reader: Reader,
  llms: Pick<LlmSource, 'findResponsiveness'>,
  versions: readonly Versioned<Definition>[],
): Promise<(version: Versioned<Definition>) => string> {
  const llmVersions = versions.filter(({ definition }) => getAgentEngineKind(definition) === 'llm')
  const [firstVersion] = llmVersions
  if (firstVersion === undefined) return () => DEFAULT_RESPONSIVENESS
  const values = await llms.findResponsiveness(
    reader,
    firstVersion.workspaceId,
    llmVersions.flatMap(({ engine }) => engine ?? []),
  )
  const responsivenessByVersion = new Map(llmVersions.map((version, index) => [version, values[index]]))
  return (version) => responsivenessByVersion.get(version) ?? DEFAULT_RESPONSIVENESS
}

/** Voice agents, which can also chat. */
export const VOICE_AGENT: AgentKind<VoiceAgentDefinition, CreateAgentBody, UpdateAgentBody, Agent> = {
  resource: 'agent',
  define: (body) => defineAgent(AGENT_SETTINGS, body),
  edit: (current, body) => editAgent(AGENT_SETTINGS, current, body),
  async describe(reader, engines, versions) {
    const getResponsiveness = await readResponsiveness(reader, engines.llm, versions)
    return versions.map((version) => ({
      ...describeVersion(version),
      ...completeAgentSettings(version.definition),
      responsiveness: getResponsiveness(version),
    }))
  },
}

/** Chat-only agents. */
export const CHAT_AGENT: AgentKind<ChatAgentDefinition, CreateChatAgentBody, UpdateChatAgentBody, ChatAgent> = {
  resource: 'chat-agent',
  define: (body) => defineAgent(CHAT_AGENT_SETTINGS, body),
  edit: (current, body) => editAgent(CHAT_AGENT_SETTINGS, current, body),
  describe: async (_reader, _engines, versions) =>
    versions.map((version) => ({ ...describeVersion(version), ...completeChatAgentSettings(version.definition) })),
}

/** Id prefix and display name of each agent kind. */
const KINDS = {
  agent: { idPrefix: 'agent', label: 'agent' },
  'chat-agent': { idPrefix: 'chat_agent', label: 'chat agent' },
} as const

export type AgentResource = keyof typeof KINDS
export const AGENT_RESOURCES = Object.keys(KINDS) as readonly AgentResource[]

type AgentIdPrefix = (typeof KINDS)[AgentResource]['idPrefix']

export function getIdPrefix(resource: AgentResource): AgentIdPrefix {
  return KINDS[resource].idPrefix
}

/** Derives the agent's kind from its id. */
export function getAgentResource(agentId: string): AgentResource {
  return agentId.startsWith(`${KINDS['chat-agent'].idPrefix}_`) ? 'chat-agent' : 'agent'
}

/** Returns an agent's display name for error messages. */
export function toAgentResourceName(id: string, resource: AgentResource = getAgentResource(id)): ResourceName {
  return { kind: KINDS[resource].label, id }
}

/** The differences between agent kinds. Versions, engines and deletion are shared. */
export interface AgentKind<
  Definition extends AgentDefinition,
  CreateBody extends NewEngine,
  UpdateBody extends EngineChange,
  AgentResponse,
> {
  readonly resource: AgentResource
  define(body: CreateBody): AgentContent<Definition>
  /** Applies a PATCH body. Absent fields keep their values. */
  edit(current: AgentContent<Definition>, body: UpdateBody): AgentContent<Definition>
  /** Builds the responses for agent versions of one workspace, in order, with at most one query. */
  describe(reader: Reader, engines: Engines, versions: readonly Versioned<Definition>[]): Promise<AgentResponse[]>
}

/** The voices in a body or stored definition. */
export interface VoiceSelection {
  readonly voice_id?: string | undefined
  readonly fallback_voice_ids?: readonly string[] | undefined
}

/** Engine and voices in a create body. */
export interface NewEngine extends VoiceSelection {
  readonly response_engine: ResponseEngineInput
}

/** Engine and voices in a PATCH body. */
export interface EngineChange extends VoiceSelection {
  readonly response_engine?: ResponseEngineInput | undefined
}
