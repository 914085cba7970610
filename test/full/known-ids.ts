/**
 * Names of path parameters, with extra names where a parameter has several meanings, such as `agentId` of chat agents.
 * `consultedBaseId` is the knowledge base that agents use. No request changes it. `addedVoiceId` is a voice that can be changed.
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
  'addedVoiceId',
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
