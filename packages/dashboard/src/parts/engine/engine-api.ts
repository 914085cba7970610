import type { ApiResponse, OperationName, RequestOptions, RequestParams } from '../../lib/api/request.ts'
import { request } from '../../lib/api/request.ts'
import { message } from '../../lib/language.ts'

/** Operations and labels for prompts or flows. */
export interface EngineApi {
  readonly kind: 'llm' | 'flow'
  readonly operations: Readonly<
    Record<'read' | 'list' | 'versions' | 'create' | 'update' | 'publish' | 'remove', OperationName>
  >
  readonly pathName: 'llmId' | 'conversationFlowId'
  readonly idName: 'llm_id' | 'conversation_flow_id'
  readonly labels: {
    readonly list: string
    readonly duplicated: string
    readonly deleteTitle: string
    readonly deleteDescription: string
    readonly deleteButton: string
    readonly deleted: string
    readonly inUse: string
  }
}

export const llmApi: EngineApi = {
  kind: 'llm',
  operations: {
    read: 'getLlm',
    list: 'listLlms',
    versions: 'listLlmVersions',
    create: 'createLlm',
    update: 'updateLlm',
    publish: 'publishLlm',
    remove: 'deleteLlm',
  },
  pathName: 'llmId',
  idName: 'llm_id',
  labels: {
    list: message('Prompts'),
    duplicated: message('Prompt duplicated'),
    deleteTitle: message('Delete prompt?'),
    deleteDescription: message('This deletes all versions permanently. A prompt in use cannot be deleted.'),
    deleteButton: message('Delete prompt'),
    deleted: message('Prompt deleted'),
    inUse: message('The prompt was not deleted because it is in use. Change or delete these agents first:'),
  },
}

export const flowApi: EngineApi = {
  kind: 'flow',
  operations: {
    read: 'getConversationFlow',
    list: 'listConversationFlows',
    versions: 'listConversationFlowVersions',
    create: 'createConversationFlow',
    update: 'updateConversationFlow',
    publish: 'publishConversationFlow',
    remove: 'deleteConversationFlow',
  },
  pathName: 'conversationFlowId',
  idName: 'conversation_flow_id',
  labels: {
    list: message('Conversation flows'),
    duplicated: message('Flow duplicated'),
    deleteTitle: message('Delete flow?'),
    deleteDescription: message('This deletes all versions permanently. A flow in use cannot be deleted.'),
    deleteButton: message('Delete flow'),
    deleted: message('Flow deleted'),
    inUse: message('The flow was not deleted because it is in use. Change or delete these first:'),
  },
}

/** Lists the operations to refetch after an edit to a prompt or flow. Agents that follow the record get a new version. */
export function listOperationsToRefetch({ operations }: EngineApi): readonly OperationName[] {
  const { read, list, versions } = operations
  return [read, list, versions, 'listAgents', 'listChatAgents', 'getAgent', 'getChatAgent']
}

interface EngineRequest {
  readonly api: EngineApi
  readonly id: string
  readonly workspaceId: number
}

/** Sends a request to an operation on a prompt or flow. */
export async function sendToEngine<Value>(
  { api, id, workspaceId }: EngineRequest,
  operation: keyof EngineApi['operations'],
  { body, query, ...options }: RequestOptions & { readonly body?: object; readonly query?: object } = {},
): Promise<ApiResponse<Value>> {
  const params = {
    path: { [api.pathName]: id },
    ...(body ? { body: { workspaceId, ...body } } : { query: { workspaceId, ...query } }),
  } as object as RequestParams<'getLlm'>
  const response: ApiResponse<unknown> = await request(api.operations[operation] as 'getLlm', params, options)
  return response as ApiResponse<Value>
}
