import type { IncomingHttpHeaders } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { operations } from '@parley/contract/index'

type Name = keyof typeof operations
type Answer = Readonly<Record<string, unknown>>

/** Values of path parameters. */
export type PathValues = Readonly<Record<string, string>>

/**
 * How later requests use a created resource: `field` of the response becomes `parameter` in the path of one of `users`.
 * Only one of them gets it, since it may delete the resource.
 */
interface CreationUse {
  readonly field: string | ((answer: Answer) => unknown)
  readonly parameter: string
  readonly users: readonly [Name, ...Name[]]
}

/**
 * Uses by creating operation. Operations that end or delete a resource only get resources from earlier requests,
 * because the other requests need the resources of the scene.
 */
const USES: Readonly<Partial<Record<Name, CreationUse>>> = {
  createWorkspace: { field: 'id', parameter: 'workspaceId', users: ['deleteWorkspace'] },
  createLlm: { field: 'llm_id', parameter: 'llmId', users: ['deleteLlm'] },
  createAgent: { field: 'agent_id', parameter: 'agentId', users: ['deleteAgent'] },
  createChatAgent: { field: 'agent_id', parameter: 'agentId', users: ['deleteChatAgent'] },
  createChat: { field: 'chatId', parameter: 'chatId', users: ['endChat', 'deleteChat'] },
  // Only ended chats can be analyzed.
  endChat: { field: 'chatId', parameter: 'chatId', users: ['analyseChat'] },
  // A call that waits for its caller occupies a slot.
  createWebCall: { field: ({ call }) => (call as Answer).callId, parameter: 'callId', users: ['endCall'] },
  createConversationFlow: {
    field: 'conversation_flow_id',
    parameter: 'conversationFlowId',
    users: ['deleteConversationFlow'],
  },
  createFlowComponent: { field: 'flow_component_id', parameter: 'flowComponentId', users: ['deleteFlowComponent'] },
  createKnowledgeBase: {
    field: 'knowledgeBaseId',
    parameter: 'knowledgeBaseId',
    users: ['deleteKnowledgeBase'],
  },
  addKnowledgeSources: { field: newestSource, parameter: 'sourceId', users: ['deleteKnowledgeSource'] },
  createVoice: { field: 'voiceId', parameter: 'voiceId', users: ['deleteVoice'] },
  createNumber: { field: 'number', parameter: 'number', users: ['deleteNumber'] },
  importNumber: { field: 'number', parameter: 'number', users: ['deleteNumber'] },
  createTestCase: {
    field: 'test_case_definition_id',
    parameter: 'testCaseDefinitionId',
    users: ['deleteTestCase'],
  },
  createWebhook: { field: 'webhookId', parameter: 'webhookId', users: ['deleteWebhook'] },
  createToken: { field: 'tokenId', parameter: 'tokenId', users: ['deleteToken'] },
  login: { field: 'sessionId', parameter: 'sessionId', users: ['deleteSession'] },
  createProviderKey: { field: 'providerKeyId', parameter: 'providerKeyId', users: ['deleteProviderKey'] },
  putWorkspaceSecret: { field: 'name', parameter: 'name', users: ['deleteWorkspaceSecret'] },
  addMember: { field: 'userId', parameter: 'userId', users: ['removeMember'] },
  createTenant: { field: 'tenantId', parameter: 'tenantId', users: ['deleteTenant'] },
  addTenantAdmin: { field: 'userId', parameter: 'userId', users: ['removeTenantAdmin'] },
  createProvider: { field: 'providerId', parameter: 'providerId', users: ['deleteProvider'] },
  addProviderAdmin: { field: 'userId', parameter: 'userId', users: ['removeProviderAdmin'] },
}

/** Returns the id of the newest source, except for the oldest one, which belongs to the scene. */
function newestSource({ sources }: Answer): unknown {
  const [newest, ...older] = sources as readonly { readonly source_id: string }[]
  return older.length > 0 ? newest?.source_id : undefined
}

/** Operations that must not change the resources of the scene. */
export const ENDING_OPERATIONS: ReadonlySet<string> = new Set([
  ...Object.values(USES).flatMap(({ users }) => users),
  'deleteCall',
  'deleteCallRecording',
  'logout',
])

/** Resources that requests created, each for one later request. */
export interface CreatedResources {
  add(user: Name, values: PathValues): void
  /** Stores the resource that a successful request created. */
  note(operation: string, answer: { readonly headers: IncomingHttpHeaders; readonly body: unknown }): void
  /** Removes and returns the path values for an operation, or null if no resource is left. */
  take(user: string): PathValues | null
  /** Removes and returns the cookie of an extra login. */
  takeCookie(): string | null
  /** Removes and returns the token of a link for choosing a password. */
  takeLinkToken(): string | null
}

export function createResourceLog(): CreatedResources {
  const pathValues = new Map<string, PathValues[]>()
  const cookies: string[] = []
  const linkTokens: string[] = []
  const add = (user: Name, values: PathValues): void => {
    const waiting = pathValues.get(user) ?? []
    // Two writes under one name create one resource.
    if (!waiting.some((one) => isDeepStrictEqual(one, values))) pathValues.set(user, [...waiting, values])
  }
  /** Returns the operation with the fewest resources. */
  const leastServed = (users: readonly [Name, ...Name[]]): Name =>
    users.reduce((least, user) =>
      (pathValues.get(user)?.length ?? 0) < (pathValues.get(least)?.length ?? 0) ? user : least,
    )
  return {
    add,
    note(operation, { headers, body }) {
      const answer = (body ?? {}) as Answer
      const use = USES[operation as Name]
      const createdId = use && (typeof use.field === 'string' ? answer[use.field] : use.field(answer))
      // Logging out ends the session, so a login provides either a cookie or a session to delete.
      const cookie = /^parley_session=[^;]+/.exec(headers['set-cookie']?.[0] ?? '')?.[0]
      if (operation === 'login' && cookie !== undefined && cookies.length === 0) cookies.push(cookie)
      else if (use !== undefined && createdId !== undefined)
        add(leastServed(use.users), { [use.parameter]: String(createdId) })
      const link = /#token=(.+)$/.exec(String(answer.inviteUrl ?? answer.url ?? ''))?.[1]
      if (link !== undefined) linkTokens.push(link)
    },
    take: (user) => pathValues.get(user)?.shift() ?? null,
    takeCookie: () => cookies.pop() ?? null,
    takeLinkToken: () => linkTokens.pop() ?? null,
  }
}
