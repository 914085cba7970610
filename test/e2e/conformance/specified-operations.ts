import { createAgent, createChat, VOICE } from '../../../testing/server-test.ts'
import {
  BARE_CALL,
  CALLED_AGENT,
  FULL_CALL,
  makeFlow,
  makeKnowledgeBase,
  makeNumber,
  makeTestCase,
  PLAIN_NODES,
  type Scene,
  type SceneIds,
} from './scene.ts'
import {
  AGENT,
  AGENT_VERSION,
  ANY_AGENT,
  ASSIGNED,
  CALL,
  CHAT,
  COMMUNITY_VOICE,
  CONCURRENCY,
  FLOW,
  FLOW_AGENT,
  FLOW_ITEM,
  HISTORY_ITEM,
  KNOWLEDGE_BASE,
  LLM,
  LLM_SUMMARY,
  MESSAGE,
  PLAIN_FLOW,
  type Shape,
  TEST_CASE,
  VOICE as VOICE_FIELDS,
  WORKSPACE,
} from './specification-fields.ts'
import {
  agentBody,
  assignedFields,
  assignmentBody,
  chatChanges,
  flowBody,
  flowChanges,
  flowTestCaseBody,
  instructedFlowBody,
  knowledgeSources,
  llmBody,
  testCaseBody,
} from './specified-requests.ts'

/** A request for a row of the specification, part 4. */
export interface SpecifiedRequest {
  /** Row number. */
  readonly row: number
  readonly title: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path as in the specification. */
  readonly path: string
  readonly query?: (scene: Scene) => Readonly<Record<string, string | number>>
  /** Query besides the workspace. */
  readonly body?: (scene: Scene) => object
  readonly status: 200 | 201 | 204
  /** Absent without a body. */
  readonly answer?: Shape
  /** Expected part of the response. */
  readonly says?: (scene: Scene) => object
  /** Creates the resources that a request uses up or changes. */
  readonly fresh?: (scene: Scene) => Promise<Partial<SceneIds>>
  /** Resources that replace those of the scene in the path. */
  readonly target?: (scene: Scene) => Partial<SceneIds>
}

const inWorkspace = ({ workspaceId }: Scene) => ({ workspaceId })
const version1 = ({ workspaceId }: Scene) => ({ workspaceId, version: 1 })

const LLMS = '/api/v1/llms'
const LLM_PATH = '/api/llms/{llmId}'
const AGENTS = '/api/agents'
const AGENT_PATH = '/api/agents/{agentId}'
const FLOWS = '/api/conversation-flows'
const FLOW_PATH = '/api/conversation-flows/{conversationFlowId}'
const CASES = '/api/test-case-definitions'
const CASE_PATH = '/api/test-case-definitions/{testCaseDefinitionId}'
const KNOWLEDGE_PATH = '/api/knowledge-bases/{knowledgeBaseId}'
const CHAT_PATH = '/api/chats/{chatId}'

const freshAgent = async ({ server, ids: { llmId } }: Scene) => ({
  agentId: (await createAgent(server, { response_engine: { type: 'llm', llm_id: llmId } })).agent_id,
})
const freshChat = async ({ server, ids: { agentId } }: Scene) => ({
  chatId: (await createChat(server, { agent_id: agentId })).chatId,
})
const freshFlow = async ({ server }: Scene) => ({
  conversationFlowId: (await makeFlow(server)).conversation_flow_id,
})
const freshCase = async ({ server, ids: { llmId } }: Scene) => ({
  testCaseDefinitionId: (await makeTestCase(server, { llm_id: llmId })).test_case_definition_id,
})
const freshKnowledgeBase = async ({ server }: Scene) => ({
  knowledgeBaseId: (await makeKnowledgeBase(server)).knowledgeBaseId,
})
const freshNumber = async ({ server, makeDigits }: Scene) => ({
  number: (await makeNumber(server, `+1555${makeDigits().slice(-7)}`)).number,
})

const changedFlow = () => ({ version: 1, ...flowChanges(), nodes: PLAIN_NODES })
const changedChat = () => ({
  metadata: chatChanges().metadata,
  customAttributes: chatChanges().custom_attributes,
  overrideDynamicVariables: chatChanges().override_dynamic_variables,
})

// biome-ignore format: a table is read by its columns
export const SPECIFIED_REQUESTS: readonly SpecifiedRequest[] = [
  { row: 1, title: 'list workspaces', method: 'GET', path: '/api/workspaces', status: 200, answer: { workspaces: [WORKSPACE] } },
  { row: 2, title: 'list LLM configurations', method: 'GET', path: LLMS, query: inWorkspace, status: 200, answer: [LLM_SUMMARY] },
  {
    row: 2, title: 'continue the list of LLM configurations', method: 'GET', path: LLMS,
    query: ({ workspaceId, after }) => ({ workspaceId, limit: 1, ...after.llms }),
    status: 200, answer: [LLM_SUMMARY], says: () => [{ display_name: 'Older', version: 1 }],
  },
  {
    row: 3, title: 'create an LLM configuration', method: 'POST', path: LLMS, body: llmBody,
    status: 201, answer: LLM, says: (scene) => ({ version: 1, ...llmBody(scene) }),
  },
  {
    row: 3, title: 'create an empty LLM configuration', method: 'POST', path: LLMS, body: () => ({}), status: 201, answer: LLM,
    says: () => ({ display_name: '', general_prompt: '', begin_message: null, responsiveness: 'balanced', general_tools: [] }),
  },
  { row: 4, title: 'get an LLM configuration', method: 'GET', path: LLM_PATH, query: inWorkspace, status: 200, answer: LLM, says: ({ ids }) => ({ llm_id: ids.llmId, begin_message: 'Welcome.' }) },
  { row: 4, title: 'get a version of an LLM configuration', method: 'GET', path: LLM_PATH, query: version1, status: 200, answer: LLM, says: () => ({ version: 1 }) },
  { row: 5, title: 'create an agent', method: 'POST', path: AGENTS, body: agentBody, status: 201, answer: AGENT, says: (scene) => ({ version: 1, ...agentBody(scene) }) },
  {
    row: 5, title: 'create an agent with required fields only', method: 'POST', path: AGENTS,
    body: (scene) => ({ voice_id: VOICE, response_engine: agentBody(scene).response_engine }), status: 201, answer: AGENT,
    says: () => ({ agent_name: '', response_threshold: 400, interruption_sensitivity: 'high', ambient_sound: 'none', responsiveness: 'balanced', max_call_duration_ms: 3_600_000 }),
  },
  { row: 6, title: 'list agents', method: 'GET', path: AGENTS, query: inWorkspace, status: 200, answer: [ANY_AGENT] },
  { row: 7, title: 'get an agent', method: 'GET', path: AGENT_PATH, query: inWorkspace, status: 200, answer: AGENT, says: ({ ids }) => ({ agent_id: ids.agentId }) },
  { row: 7, title: 'get a version of an agent', method: 'GET', path: AGENT_PATH, query: version1, status: 200, answer: AGENT, says: () => ({ version: 1, agent_name: 'Front desk' }) },
  { row: 7, title: 'get an agent with a flow', method: 'GET', path: AGENT_PATH, target: ({ flowAgentId }) => ({ agentId: flowAgentId }), query: inWorkspace, status: 200, answer: FLOW_AGENT },
  { row: 8, title: 'list the versions of an agent', method: 'GET', path: '/api/agents/{agentId}/versions', query: inWorkspace, status: 200, answer: [AGENT_VERSION], says: ({ ids }) => [{ agent_id: ids.agentId, version: 1 }] },
  { row: 9, title: 'delete an agent', method: 'DELETE', path: AGENT_PATH, fresh: freshAgent, query: inWorkspace, status: 204 },
  {
    row: 10, title: 'assign agents to a number', method: 'PUT', path: '/api/numbers/{number}/agent', fresh: freshNumber, body: assignmentBody,
    status: 200, answer: ASSIGNED,
    says: (scene) => ({
      success: true,
      numbers: [{
        ...assignedFields(scene), default_agent_id: null, inbound_agent_version: null, outbound_agent_version: 1,
        inbound_webhook_url: 'https://hooks.example/inbound?a=1',
      }],
      assignment: assignedFields(scene),
    }),
  },
  {
    row: 10, title: 'remove all agents from a number', method: 'PUT', path: '/api/numbers/{number}/agent', body: () => ({ inboundAgents: [] }), status: 200, answer: ASSIGNED,
    says: () => ({ success: true, numbers: [{ agent_id: null, inbound_agent_id: null, inbound_agents: [], outbound_agents: [], inbound_webhook_url: null }] }),
  },
  {
    row: 11, title: 'create a flow', method: 'POST', path: FLOWS, body: flowBody, status: 201, answer: PLAIN_FLOW,
    says: ({ workspaceId }) => ({ workspaceId, version: 1, ...flowBody(), model_choice: { type: 'cascading', model: 'offline' } }),
  },
  { row: 11, title: 'create a flow with instructions', method: 'POST', path: FLOWS, body: instructedFlowBody, status: 201, answer: FLOW, says: instructedFlowBody },
  { row: 12, title: 'list flows', method: 'GET', path: FLOWS, query: inWorkspace, status: 200, answer: [FLOW_ITEM] },
  {
    row: 12, title: 'continue the list of flows', method: 'GET', path: FLOWS, query: ({ workspaceId, after }) => ({ workspaceId, limit: 1, ...after.flows }),
    status: 200, answer: [FLOW_ITEM], says: () => [{ start_speaker: 'agent', version: 1 }],
  },
  { row: 13, title: 'get a flow', method: 'GET', path: FLOW_PATH, query: inWorkspace, status: 200, answer: PLAIN_FLOW, says: () => ({ nodes: PLAIN_NODES }) },
  { row: 13, title: 'get a version of a flow', method: 'GET', path: FLOW_PATH, query: version1, status: 200, answer: PLAIN_FLOW, says: () => ({ version: 1 }) },
  { row: 14, title: 'update a flow', method: 'PATCH', path: FLOW_PATH, fresh: freshFlow, body: flowChanges, status: 200, answer: PLAIN_FLOW, says: changedFlow },
  { row: 14, title: 'update a version of a flow', method: 'PATCH', path: FLOW_PATH, fresh: freshFlow, query: () => ({ version: 1 }), body: flowChanges, status: 200, answer: PLAIN_FLOW, says: changedFlow },
  { row: 15, title: 'update a chat', method: 'PATCH', path: CHAT_PATH, fresh: freshChat, body: chatChanges, status: 200, answer: CHAT, says: changedChat },
  { row: 15, title: 'update a chat without changes', method: 'PATCH', path: CHAT_PATH, body: () => ({}), status: 200, answer: CHAT, says: () => ({ metadata: { order: 17 }, status: 'ongoing', endedAt: null, type: 'web_chat', transcript: 'Agent: Welcome.' }) },
  { row: 16, title: 'send a message', method: 'POST', path: '/api/chats/{chatId}/completions', fresh: freshChat, body: () => ({ content: 'When do you open?' }), status: 201, answer: { messages: [MESSAGE] }, says: () => ({ messages: [{ role: 'assistant' }] }) },
  { row: 17, title: 'end a chat', method: 'POST', path: '/api/chats/{chatId}/end', fresh: freshChat, body: () => ({}), status: 200, answer: { ...CHAT, endedAt: 'date-time' }, says: () => ({ status: 'completed' }) },
  { row: 18, title: 'create a test case of an LLM configuration', method: 'POST', path: CASES, body: testCaseBody, status: 201, answer: TEST_CASE, says: ({ workspaceId, ids }) => ({ workspaceId, type: 'llm', llm_id: ids.llmId, conversation_flow_id: null, version: 1, name: 'Books a table', description: 'For two at seven' }) },
  { row: 18, title: 'create a test case of a flow', method: 'POST', path: CASES, body: flowTestCaseBody, status: 201, answer: TEST_CASE, says: ({ ids }) => ({ type: 'conversation-flow', llm_id: null, conversation_flow_id: ids.conversationFlowId, version: 1, description: '' }) },
  { row: 19, title: 'list test cases', method: 'GET', path: CASES, query: inWorkspace, status: 200, answer: [TEST_CASE] },
  { row: 19, title: 'list the test cases of an LLM configuration', method: 'GET', path: CASES, query: ({ workspaceId, ids }) => ({ workspaceId, type: 'llm', llmId: ids.llmId, version: 1 }), status: 200, answer: [{ ...TEST_CASE, llm_id: 'string' }] },
  { row: 19, title: 'list the test cases of a flow', method: 'GET', path: CASES, query: ({ workspaceId, ids }) => ({ workspaceId, type: 'conversation-flow', conversationFlowId: ids.conversationFlowId, version: 1 }), status: 200, answer: [{ ...TEST_CASE, conversation_flow_id: 'string' }] },
  { row: 20, title: 'get a test case', method: 'GET', path: CASE_PATH, query: inWorkspace, status: 200, answer: TEST_CASE, says: ({ ids }) => ({ test_case_definition_id: ids.testCaseDefinitionId, type: 'llm', llm_id: ids.llmId }) },
  { row: 20, title: 'get a test case of a flow', method: 'GET', path: CASE_PATH, target: ({ flowTestCaseId }) => ({ testCaseDefinitionId: flowTestCaseId }), query: inWorkspace, status: 200, answer: TEST_CASE, says: () => ({ type: 'conversation-flow', llm_id: null }) },
  { row: 21, title: 'delete a test case', method: 'DELETE', path: CASE_PATH, fresh: freshCase, query: inWorkspace, status: 204 },
  {
    row: 22, title: 'add sources to a knowledge base', method: 'POST', path: `${KNOWLEDGE_PATH}/sources`, fresh: freshKnowledgeBase, body: knowledgeSources,
    status: 201, answer: KNOWLEDGE_BASE,
    says: ({ workspaceId }) => ({ workspaceId, name: 'Manuals', description: '', status: 'processing', sources: [{ source_type: 'file', filename: 'prices.csv' }, { source_type: 'text', filename: '' }] }),
  },
  { row: 23, title: 'delete a knowledge base', method: 'DELETE', path: KNOWLEDGE_PATH, fresh: freshKnowledgeBase, query: inWorkspace, status: 204 },
  { row: 24, title: 'list voices', method: 'GET', path: '/api/voices', query: inWorkspace, status: 200, answer: [VOICE_FIELDS] },
  {
    row: 25, title: 'search voices', method: 'POST', path: '/api/voices/search', body: () => ({ voiceProvider: 'elevenlabs', searchQuery: 'calm british' }),
    status: 200, answer: { voices: [COMMUNITY_VOICE] },
    says: () => ({ voices: [{ providerVoiceId: 'Nora7calmBritish0001', name: 'Nora', publicUserId: 'owner0001', voiceProvider: 'elevenlabs' }] }),
  },
  { row: 25, title: 'search voices of a provider without user IDs', method: 'POST', path: '/api/voices/search', body: () => ({ voiceProvider: 'cartesia', searchQuery: 'german' }), status: 200, answer: { voices: [COMMUNITY_VOICE] }, says: () => ({ voices: [{ name: 'Mara', publicUserId: null, voiceProvider: 'cartesia' }] }) },
  {
    row: 26, title: 'list calls', method: 'GET', path: '/api/v1/calls', status: 200,
    answer: { success: 'boolean', calls: [CALL], pagination: { page: 'integer', limit: 'integer', total: 'integer' } },
    says: () => ({ success: true, calls: [{ callId: BARE_CALL, expiresAt: null }, { callId: FULL_CALL }], pagination: { page: 1, limit: 20, total: 2 } }),
  },
  {
    row: 26, title: 'filter calls', method: 'GET', path: '/api/v1/calls', status: 200,
    query: ({ workspaceId }) => ({ workspaceId, agentId: CALLED_AGENT, status: 'ended', startDate: '2026-04-21', endDate: '2026-04-21', page: 1, limit: 10 }),
    answer: { success: 'boolean', calls: [{ ...CALL, expiresAt: 'date-time' }], pagination: { page: 'integer', limit: 'integer', total: 'integer' } },
    says: () => ({ calls: [{ callId: FULL_CALL }], pagination: { page: 1, limit: 10, total: 1 } }),
  },
  {
    row: 27, title: 'get a call', method: 'GET', path: '/api/v1/calls/{callId}', status: 200, answer: { success: 'boolean', call: { ...CALL, expiresAt: 'date-time' } },
    says: () => ({ success: true, call: { callId: FULL_CALL, callType: 'phone_call', status: 'ended', agentId: CALLED_AGENT, agentVersion: 2, metadata: { order: 17 }, service_dynamic_variables: { name: 'Ada' }, optOutSensitiveDataStorage: false } }),
  },
  { row: 27, title: 'get a call that was only created', method: 'GET', path: '/api/v1/calls/{callId}', target: () => ({ callId: BARE_CALL }), status: 200, answer: { success: 'boolean', call: CALL }, says: () => ({ call: { callType: 'web_call', status: 'registered', metadata: {} } }) },
  {
    row: 28, title: 'list the call history', method: 'GET', path: '/api/v1/calls/history', query: inWorkspace, status: 200,
    answer: { success: 'boolean', calls: [HISTORY_ITEM], pagination: { page: 'integer', limit: 'integer', total: 'integer', pages: 'integer' } },
    says: () => ({ calls: [{ callSid: BARE_CALL, startedAt: null, duration: null, direction: null }, { callSid: 'CA0123456789abcdef' }], pagination: { page: 1, limit: 20, total: 2, pages: 1 } }),
  },
  {
    row: 28, title: 'search the call history', method: 'GET', path: '/api/v1/calls/history', status: 200,
    query: ({ workspaceId }) => ({
      workspaceId, agentId: CALLED_AGENT, agentVersion: 2, status: 'ended', search: 'lovelace', startDate: '2026-04-21T23:59:59.999Z',
      endDate: '2026-04-21', page: 1, limit: 1, includeArchived: 'true', includeChildCalls: 'true',
    }),
    answer: {
      success: 'boolean', pagination: { page: 'integer', limit: 'integer', total: 'integer', pages: 'integer' },
      calls: [{
        ...HISTORY_ITEM, fromNumber: 'string', toNumber: 'string', direction: 'string', customerName: 'string', duration: 'integer', startedAt: 'date-time',
        recordingUrl: 'string', sentiment: 'string', summary: 'string', costs: { voice: 'number', llm: 'number', gross: 'number', total: 'number' },
      }],
    },
    says: () => ({
      calls: [{ callStatus: 'ended', duration: 90, direction: 'inbound', costs: { voice: 0.12, llm: 0.003001, gross: 0.123001, total: 0.15 } }],
      pagination: { page: 1, limit: 1, total: 1, pages: 1 },
    }),
  },
  { row: 29, title: 'get the concurrency limit', method: 'GET', path: '/api/concurrency', query: inWorkspace, status: 200, answer: CONCURRENCY, says: () => ({ maxConcurrent: 20, currentUsage: 0 }) },
]
