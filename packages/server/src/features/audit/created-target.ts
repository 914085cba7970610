/** Response field with the new resource's id, and its path parameter, by create operation. */
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

/** Returns the created resource's id, keyed by its path parameter, or an empty object if nothing was created. */
export function findCreatedTarget(operation: string, response: unknown): Readonly<Record<string, string>> {
  const [field, parameter] = CREATED_TARGETS[operation] ?? []
  if (field === undefined || parameter === undefined || typeof response !== 'object' || response === null) return {}
  const id = (response as Readonly<Record<string, unknown>>)[field]
  return typeof id === 'string' || typeof id === 'number' ? { [parameter]: String(id) } : {}
}
