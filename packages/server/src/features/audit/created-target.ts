/** Where an answer has the id of what was created, and what paths call that id, for each operation that creates. */
export const CREATED_TARGETS: Readonly<Record<string, readonly [field: string, parameter: string]>> = {
  createWorkspace: ['id', 'workspaceId'],
  createLlm: ['llm_id', 'llmId'],
  createAgent: ['agent_id', 'agentId'],
  createChatAgent: ['agent_id', 'agentId'],
  createConversationFlow: ['conversation_flow_id', 'conversationFlowId'],
  createFlowComponent: ['flow_component_id', 'flowComponentId'],
  createKnowledgeBase: ['knowledgeBaseId', 'knowledgeBaseId'],
  createVoice: ['voiceId', 'voiceId'],
  createNumber: ['number', 'number'],
  importNumber: ['number', 'number'],
  createTestCase: ['test_case_definition_id', 'testCaseDefinitionId'],
  createWebhook: ['webhookId', 'webhookId'],
  createToken: ['tokenId', 'tokenId'],
  createProviderKey: ['providerKeyId', 'providerKeyId'],
  addMember: ['userId', 'userId'],
  addTenantAdmin: ['userId', 'userId'],
  addProviderAdmin: ['userId', 'userId'],
  createTenant: ['tenantId', 'tenantId'],
  createProvider: ['providerId', 'providerId'],
}

/** The id of what an operation created, under the name that paths use; empty for operations that create nothing. */
export function createdTarget(operation: string, answer: unknown): Readonly<Record<string, string>> {
  const [field, parameter] = CREATED_TARGETS[operation] ?? []
  if (field === undefined || parameter === undefined || typeof answer !== 'object' || answer === null) return {}
  const id = (answer as Readonly<Record<string, unknown>>)[field]
  return typeof id === 'string' || typeof id === 'number' ? { [parameter]: String(id) } : {}
}
