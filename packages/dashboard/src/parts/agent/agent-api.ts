import type { Agent } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import {
  type AnyRequestParams,
  type ApiResponse,
  type OperationName,
  type RequestOptions,
  type RequestParams,
  request,
} from '../../lib/api/request.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import {
  type FlowFields,
  toCreateAgentFields,
  toCreateChatAgentFields,
  toLlmFields,
  toUpdateAgentFields,
  toUpdateChatAgentFields,
} from './agent-body.ts'

export type AnyAgent = Agent | ChatAgent

export type SharedAgent = Pick<Agent, keyof Agent & keyof ChatAgent>

export interface AgentTarget {
  readonly workspaceId: number
  readonly agentId: string
}

export interface PublishNotes {
  /** Defaults to the latest version. */
  readonly version?: number
  readonly title: string | null
  readonly description: string | null
}

type OperationKind =
  | 'read'
  | 'list'
  | 'versions'
  | 'create'
  | 'update'
  | 'saveDraft'
  | 'remove'
  | 'publish'
  | 'activate'
export type AgentOperations = Readonly<Record<OperationKind, OperationName>>

export type WithWarnings<Value> = Value & { readonly warnings: readonly string[] }

/** Edits to an agent and its LLM configuration, plus their state before the edits. A record without edits is null. */
export interface DraftToSave<Value> {
  readonly agent: { readonly base: Snapshot<Value>; readonly edits: Partial<Value> } | null
  readonly llm: { readonly base: Snapshot<Llm>; readonly edits: Partial<Llm> } | null
}

/** The saved records. `llm` is null if the agent has no LLM configuration. */
export interface SavedDraft<Value> {
  readonly agent: Snapshot<Value>
  readonly llm: Snapshot<Llm> | null
  readonly warnings: readonly string[]
}

export type NewAgent<Value extends AnyAgent> = Partial<Value> & { readonly response_engine: ResponseEngine }

/** Operations on one kind of agent. Each operation throws a `Problem` on failure. */
export interface AgentApi<Value extends AnyAgent> {
  readonly kind: AgentKind
  readonly operations: AgentOperations
  read(
    target: AgentTarget,
    version: number | 'latest' | 'active',
    signal?: AbortSignal | undefined,
  ): Promise<ApiResponse<Value>>
  /** Sends edited fields. If `etag` is null, the server accepts any stored state. */
  update(target: AgentTarget, edits: Partial<Value>, etag: string | null): Promise<ApiResponse<WithWarnings<Value>>>
  /** Saves the edits to both records, or to neither. */
  saveDraft(target: AgentTarget, draft: DraftToSave<Value>): Promise<SavedDraft<Value>>
  create(workspaceId: number, settings: NewAgent<Value>): Promise<ApiResponse<WithWarnings<Value>>>
  remove(target: AgentTarget): Promise<unknown>
  publish(target: AgentTarget, notes: PublishNotes, etag: string | null): Promise<unknown>
  activate(target: AgentTarget, version: number | null): Promise<unknown>
}

export type AgentKind = 'agent' | 'chat-agent'

/** An exported agent, including its LLM configuration or flow if the file contains one. */
export interface AgentFile<Value extends AnyAgent> {
  readonly agent: NewAgent<Value>
  readonly llm: Partial<Llm> | null
  readonly flow: FlowFields | null
  /** Paths of the settings that are not imported. */
  readonly omittedPaths: readonly string[]
}

export type FileError =
  | 'invalid-json'
  | 'no-agent'
  | 'wrong-kind'
  | 'no-engine'
  | 'no-llm'
  | 'no-vendor-llm'
  | 'no-vendor-flow'

export type AgentFileResult<Value extends AnyAgent> =
  | { readonly file: AgentFile<Value>; readonly error: null }
  | { readonly file: null; readonly error: FileError }

/** Lists the operations to refetch after an edit to an agent or its LLM configuration. */
export function listOperationsToRefetch({ read, list, versions }: AgentOperations): readonly OperationName[] {
  return [read, list, versions, 'getLlm', 'listLlms', 'listLlmVersions']
}

interface FieldConverters<Value extends AnyAgent> {
  readonly toUpdateFields: (edits: Partial<Value>) => object
  readonly toCreateFields: (settings: NewAgent<Value>) => object
}

/** Builds the API of one kind of agent. The kinds differ only in operation names and fields. */
function createAgentApi<Value extends AnyAgent>(
  kind: AgentKind,
  operations: AgentOperations,
  fields: FieldConverters<Value>,
): AgentApi<Value> {
  const send = async <Result>(
    operationKind: OperationKind,
    params: AnyRequestParams,
    options: RequestOptions = {},
  ): Promise<ApiResponse<Result>> => {
    const response: ApiResponse<unknown> = await request(
      operations[operationKind] as 'getAgent',
      params as RequestParams<'getAgent'>,
      options,
    )
    return response as ApiResponse<Result>
  }
  const toParams = ({ agentId }: AgentTarget) => ({ path: { agentId } })
  return {
    kind,
    operations,
    read: (target, version, signal) =>
      send(
        'read',
        { ...toParams(target), query: { workspaceId: target.workspaceId, version: String(version) } },
        { ...(signal && { signal }) },
      ),
    update: (target, edits, etag) =>
      send(
        'update',
        { ...toParams(target), body: { workspaceId: target.workspaceId, ...fields.toUpdateFields(edits) } },
        { ifMatch: etag },
      ),
    async saveDraft(target, { agent, llm }) {
      const body = {
        workspaceId: target.workspaceId,
        ...(agent && { agent: fields.toUpdateFields(agent.edits) }),
        agentEtag: agent?.base.etag,
        ...(llm && { llm: toLlmFields(llm.edits) }),
        llmEtag: llm?.base.etag,
      }
      const { value } = await send<StoredDraft<Value>>('saveDraft', { ...toParams(target), body })
      return {
        agent: { value: value.agent, etag: value.agentEtag },
        llm: value.llm && { value: value.llm, etag: value.llmEtag },
        warnings: value.warnings,
      }
    },
    create: (workspaceId, settings) => send('create', { body: { workspaceId, ...fields.toCreateFields(settings) } }),
    remove: (target) => send('remove', { ...toParams(target), query: { workspaceId: target.workspaceId } }),
    publish: (target, notes, etag) =>
      send('publish', { ...toParams(target), body: { workspaceId: target.workspaceId, ...notes } }, { ifMatch: etag }),
    activate: (target, version) =>
      send('activate', { ...toParams(target), body: { workspaceId: target.workspaceId, version } }),
  }
}

interface StoredDraft<Value> {
  readonly agent: Value
  readonly agentEtag: string
  readonly llm: Llm | null
  readonly llmEtag: string | null
  readonly warnings: readonly string[]
}

export const chatAgents: AgentApi<ChatAgent> = createAgentApi<ChatAgent>(
  'chat-agent',
  {
    read: 'getChatAgent',
    list: 'listChatAgents',
    versions: 'listChatAgentVersions',
    create: 'createChatAgent',
    update: 'updateChatAgent',
    saveDraft: 'saveChatAgentDraft',
    remove: 'deleteChatAgent',
    publish: 'publishChatAgent',
    activate: 'activateChatAgent',
  },
  { toUpdateFields: toUpdateChatAgentFields, toCreateFields: toCreateChatAgentFields },
)

const voiceApi = createAgentApi<Agent>(
  'agent',
  {
    read: 'getAgent',
    list: 'listAgents',
    versions: 'listAgentVersions',
    create: 'createAgent',
    update: 'updateAgent',
    saveDraft: 'saveAgentDraft',
    remove: 'deleteAgent',
    publish: 'publishAgent',
    activate: 'activateAgent',
  },
  {
    toUpdateFields: toUpdateAgentFields,
    toCreateFields: ({ voice_id: voiceId = '', ...settings }) =>
      toCreateAgentFields({ ...settings, voice_id: voiceId }),
  },
)

export const voiceAgents: AgentApi<Agent> = {
  ...voiceApi,
  /** `createAgent` does not accept the maximum call duration, so an update sets it. */
  async create(workspaceId, settings) {
    const { max_call_duration_ms: durationMs } = settings
    const createdAgent = await voiceApi.create(workspaceId, settings)
    if (durationMs === undefined || durationMs === createdAgent.value.max_call_duration_ms) return createdAgent
    const target = { workspaceId, agentId: createdAgent.value.agent_id }
    return await voiceApi.update(target, { max_call_duration_ms: durationMs }, createdAgent.etag)
  },
}
