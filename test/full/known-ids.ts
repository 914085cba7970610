/**
 * Names of path parameters, and of the ids that share one: `agentId` of chat agents and of the playground, `userId` of
 * administrators, `callId` of what only live calls take, and the knowledge base that agents draw on, which no request changes.
 */
export const ID_NAMES = [
  'workspaceId',
  'llmId',
  'conversationFlowId',
  'flowComponentId',
  'agentId',
  'chatAgentId',
  'flowAgentId',
  'chatId',
  'turnId',
  'knowledgeBaseId',
  'consultedBaseId',
  'sourceId',
  'voiceId',
  'number',
  'testCaseDefinitionId',
  'callId',
  'liveCallId',
  'webhookId',
  'deliveryId',
  'tokenId',
  'sessionId',
  'providerKeyId',
  'secretName',
  'userId',
  'tenantId',
  'tenantAdminId',
  'providerId',
  'providerAdminId',
] as const
export type IdName = (typeof ID_NAMES)[number]

/** Resources of one workspace, and of the tenant and provider above it. */
export interface KnownIds {
  readonly workspaceId: number
  readonly values: Readonly<Record<IdName, string>>
}
