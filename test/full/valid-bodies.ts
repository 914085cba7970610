import { randomUUID } from 'node:crypto'
import { VOICE } from '../../testing/server-test.ts'
import { SHARED_VOICES } from '../../testing/voice-server/voice-library.ts'
import { EVERY_TOOL } from '../e2e/every-tool.ts'
import type { KnownIds } from './known-ids.ts'
import { accountBodies, type Bodies, UNREACHABLE_URL } from './valid-account-bodies.ts'

/** Name of the MCP server in engines. */
export const MCP_ID = 'mcp_1'

const MCP_SERVERS = [
  {
    mcp_id: MCP_ID,
    name: 'Shop',
    url: `${UNREACHABLE_URL}/mcp`,
    headers: { 'X-Key': '{{a}}' },
    query_params: { shop: 'main' },
    timeout_ms: 5_000,
    require_approval: 'always',
    approved_tools: ['find'],
  },
]

const TOOL_MOCK = {
  tool_name: 'look_up',
  input_match_rule: { type: 'partial_match', args: { a: 1 } },
  output: '{}',
  result: true,
}

const ANALYSIS = [
  { type: 'system-presets', name: 'user_sentiment', description: 'How it ended.' },
  { type: 'string', name: 'city', description: 'Where' },
  { type: 'enum', name: 'size', description: 'How big', choices: ['s', 'm'] },
  { type: 'boolean', name: 'agreed', description: 'Yes or no' },
  { type: 'number', name: 'count', description: 'How many' },
]

/** Post-conversation settings that all kinds of agents share. */
const AFTERWARDS = {
  end_chat_after_silence_ms: 3_600_000,
  auto_close_message: 'Goodbye.',
  data_storage_setting: 'everything',
  data_storage_retention_days: 30,
  pii_config: { mode: 'post_call', categories: ['email', 'credit_card'] },
  webhook_url: `${UNREACHABLE_URL}/agent`,
  webhook_timeout_ms: 5_000,
}

/** Bodies in which every field is valid, by operation. Unique values are new in each body. */
export function validBodies(ids: KnownIds): Bodies {
  return {
    ...engineBodies(ids),
    ...agentBodies(ids),
    ...knowledgeBodies(ids),
    ...resourceBodies(ids),
    ...accountBodies(ids),
  }
}

/** Returns an unused phone number. */
export function newNumber(): string {
  return `+1555${String(Number.parseInt(randomUUID().slice(0, 8), 16)).padStart(10, '0')}`
}

/** A small dialog graph: `start` speaks and leads to `end`. */
export function dialogNodes(text: string): readonly object[] {
  return [
    {
      id: 'start',
      type: 'conversation',
      name: 'Start',
      instruction: { type: 'prompt', text },
      edges: [
        { id: 'over', transition_condition: { type: 'prompt', prompt: 'All is said.' }, destination_node_id: 'end' },
      ],
    },
    { id: 'end', type: 'end', name: 'End', instruction: { type: 'prompt', text: 'Say goodbye.' } },
  ]
}

function engineBodies({ workspaceId, values }: KnownIds): Bodies {
  const knowledge = {
    knowledge_base_ids: [values.consultedBaseId],
    kb_config: { top_k: 2, filter_score: 0.25 },
  }
  const llm = {
    workspaceId,
    ...knowledge,
    display_name: 'Name',
    model: 'offline',
    model_temperature: 0.5,
    general_prompt: 'Prompt',
    begin_message: 'Hello',
    responsiveness: 'fast',
    general_tools: EVERY_TOOL,
    states: [
      {
        name: 'hello',
        state_prompt: 'Greet.',
        tools: [{ type: 'end_call', name: 'leave' }],
        edges: [{ destination_state_name: 'order', description: 'The user orders.' }],
      },
      { name: 'order' },
    ],
    starting_state: 'hello',
    mcps: MCP_SERVERS,
    default_dynamic_variables: { a: 'b' },
  }
  const notes = [{ id: 'note', content: 'Why', display_position: { x: 0, y: 1 }, size: { width: 100, height: 50 } }]
  const nodes = dialogNodes('Be brief.')
  const flow = {
    workspaceId,
    ...knowledge,
    display_name: 'Name',
    start_speaker: 'agent',
    global_prompt: 'Prompt',
    model_choice: { type: 'cascading', model: 'offline' },
    model_temperature: 0.5,
    begin_after_user_silence_ms: 5_000,
    max_hops_per_turn: 12,
    start_node_id: 'start',
    nodes,
    tools: EVERY_TOOL.map((tool) => ({ ...tool, tool_id: `tool-${tool.name}` })),
    mcps: MCP_SERVERS,
    components: [
      { component_id: 'part', name: 'Part', start_node_id: 'start', nodes, tools: [], mcps: MCP_SERVERS, notes },
    ],
    default_dynamic_variables: { a: 'b' },
    notes,
    begin_tag_display_position: { x: -1, y: 0.5 },
    flex_mode: false,
    tool_call_strict_mode: true,
    is_transfer_cf: false,
  }
  const graph = { start_node_id: 'start', nodes, tools: [], mcps: MCP_SERVERS, notes }
  const component = { workspaceId, name: 'Component', flex_mode: false, ...graph }
  const change = { removeNodeIds: [], replaceNodes: false }
  const publish = { workspaceId, version: 1, title: 'Title', description: 'Description' }
  return {
    createLlm: llm,
    // The latest version and whether it is frozen are unknown here.
    updateLlm: llm,
    publishLlm: publish,
    createConversationFlow: flow,
    updateConversationFlow: { ...flow, ...change },
    publishConversationFlow: publish,
    validateConversationFlow: flow,
    createFlowComponent: component,
    updateFlowComponent: { ...component, ...change },
  }
}

function agentBodies({ workspaceId, values }: KnownIds): Bodies {
  const chatAgent = {
    workspaceId,
    agent_name: 'Agent',
    response_engine: { type: 'llm', llm_id: values.llmId, version: null },
    language: 'en-US',
    timezone: 'UTC',
    fallback_models: ['offline'],
    fallback_message: 'Sorry',
    ...AFTERWARDS,
    post_chat_analysis_data: ANALYSIS,
    post_chat_analysis_model: 'offline',
    webhook_events: ['chat_started', 'chat_ended', 'chat_analyzed', 'transcript_updated'],
  }
  const { post_chat_analysis_data: _data, post_chat_analysis_model: _model, ...spoken } = chatAgent
  const agent = {
    ...spoken,
    post_call_analysis_data: ANALYSIS,
    post_call_analysis_model: 'offline',
    webhook_events: ['call_started', 'chat_ended'],
    voice_id: VOICE,
    response_threshold: 100,
    interruption_sensitivity: 'high',
    ambient_sound: 'none',
    voice_speed: 1.1,
    fallback_voice_ids: [],
    reminder_max_count: 2,
    pronunciation_dictionary: [{ word: 'Parley', alphabet: 'cmu', phoneme: 'P AA1 R L IY0' }],
    custom_stt_config: { provider: 'openai', endpointing_ms: 300 },
    user_dtmf_options: { digit_limit: 4, termination_key: '#', timeout_ms: 3_000 },
  }
  const publish = { workspaceId, version: 1, title: 'Title', description: 'Description' }
  const activate = { workspaceId, version: 1 }
  // The latest version tags are unknown here; null accepts any state.
  const draft = { workspaceId, agentEtag: null, llm: { general_prompt: 'Prompt' }, llmEtag: null }
  const { workspaceId: _ofBody, ...agentChanges } = agent
  const { workspaceId: _ofChatBody, ...chatAgentChanges } = chatAgent
  return {
    createAgent: agent,
    updateAgent: { ...agent, max_call_duration_ms: 60_000 },
    publishAgent: publish,
    activateAgent: activate,
    saveAgentDraft: { ...draft, agent: agentChanges },
    createChatAgent: chatAgent,
    updateChatAgent: chatAgent,
    publishChatAgent: publish,
    activateChatAgent: activate,
    saveChatAgentDraft: { ...draft, agent: chatAgentChanges },
    createChat: {
      workspaceId,
      agentId: values.agentId,
      agentVersion: 1,
      type: 'web_chat',
      metadata: { a: { b: 1 } },
      customAttributes: {},
      dynamicVariables: { a: 'b' },
    },
    updateChat: { workspaceId, metadata: { a: 1 }, custom_attributes: {}, override_dynamic_variables: { a: 'b' } },
    createCompletion: { workspaceId, content: 'Hello', stream: false },
    endChat: { workspaceId },
    cancelTurn: { workspaceId },
    rewindChat: { workspaceId, turnId: values.turnId },
    analyseChat: { workspaceId },
    runPlayground: playground(workspaceId),
    testTool: {
      workspaceId,
      tool: {
        ...{ type: 'custom', name: 'look_up', url: `${UNREACHABLE_URL}/{{a}}`, method: 'POST' },
        ...{ parameters: { type: 'object', properties: { id: { type: 'string' } } }, timeout_ms: 1_000 },
      },
      args: { id: '1' },
      dynamicVariables: { a: 'b' },
      mcps: MCP_SERVERS,
    },
  }
}

/** A playground turn that requires no other resource. */
function playground(workspaceId: number): object {
  const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
  return {
    workspaceId,
    agent_version: 1,
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'One moment.', tool_calls: [call] },
      { role: 'tool', content: '{}', name: 'look_up', tool_call_id: 'call_1' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Are you there?' },
    ],
    dynamic_variables: { a: 'b' },
    tool_mocks: [TOOL_MOCK],
    state: { collectedVariables: { b: 'c' }, stateName: null, flow: null, approvals: [] },
  }
}

/** Bodies with one source each, because several sources have no fixed order across two servers. */
function knowledgeBodies({ workspaceId, values }: KnownIds): Bodies {
  const settings = {
    workspaceId,
    name: 'Knowledge',
    description: 'Description',
    enableAutoRefresh: true,
    refreshIntervalHours: 12,
    crawl: [{ path: `${UNREACHABLE_URL}/site`, exclude: ['/private'], maxPages: 5 }],
  }
  const file = Buffer.from(`city;opens\nBerlin;9\nBremen;${randomUUID()}\n`).toString('base64')
  return {
    createKnowledgeBase: {
      ...settings,
      sources: [{ filename: 'cities.csv', contentType: 'text/csv', base64: file, title: 'Cities' }],
      maxChunkSize: 1500,
      minChunkSize: 300,
    },
    updateKnowledgeBase: settings,
    addKnowledgeSources: { workspaceId, sources: [{ text: `Doors open at ${randomUUID()}.`, title: 'Doors' }] },
    refreshKnowledgeBase: { workspaceId, sourceIds: [values.sourceId] },
    searchKnowledgeBase: { workspaceId, query: 'When do you open?', topK: 5, filterScore: 0.1 },
  }
}

function resourceBodies({ workspaceId, values }: KnownIds): Bodies {
  const [voice] = SHARED_VOICES
  const testCase = {
    workspaceId,
    llm_id: values.llmId,
    version: 1,
    name: 'Test case',
    description: 'Description',
    user_prompt: 'You want an appointment.',
    metrics: ['The agent was kind.'],
    dynamic_variables: { a: 'b' },
    tool_mocks: [TOOL_MOCK],
    llm_model: 'offline',
    max_turns: 5,
  }
  const webhook = {
    workspaceId,
    url: `${UNREACHABLE_URL}/hooks`,
    events: ['chat_started', 'call_ended'],
    description: 'Description',
    enabled: true,
  }
  const bound = { agent_id: values.agentId, agent_version: 1, weight: 1 }
  const window = { days: ['mon'], start: '09:00', end: '17:00', agent_id: values.agentId, agent_version: 1 }
  return {
    createTestCase: { ...testCase, test_case_definition_id: `case-${randomUUID()}` },
    updateTestCase: testCase,
    searchVoices: { workspaceId, voiceProvider: 'elevenlabs', searchQuery: 'calm british' },
    createVoice: {
      workspaceId,
      voiceProvider: 'elevenlabs',
      providerVoiceId: voice?.id,
      publicUserId: voice?.owner,
      name: 'Voice',
      playbackOverrideUrl: null,
    },
    updateVoice: { workspaceId, name: 'Voice', playbackOverrideUrl: null },
    previewVoice: {
      workspaceId,
      text: 'Hello.',
      language: 'en-US',
      voiceModel: null,
      voiceSpeed: 1.1,
      voiceTemperature: 1,
      voiceEmotion: 'calm',
    },
    createNumber: { workspaceId, number: newNumber(), nickname: 'Number', provider: 'loopback' },
    importNumber: {
      workspaceId,
      number: newNumber(),
      nickname: 'Number',
      provider: 'sip',
      terminationUri: 'sip:trunk.example.com:5060',
      authUsername: 'user',
      authPassword: 'password',
    },
    assignNumberAgents: {
      workspaceId,
      accountSid: values.tenantId,
      outboundAgentId: values.agentId,
      outboundAgentVersion: 1,
      inboundAgents: [bound],
      inboundWebhookUrl: 'https://hooks.example.com/inbound',
      isTimeRoutingEnabled: false,
    },
    verifyNumber: { workspaceId },
    updateNumber: {
      workspaceId,
      nickname: 'Number',
      default_agent_id: values.agentId,
      sticky: true,
      inbound_webhook_url: 'https://hooks.example.com/inbound',
      is_time_routing_enabled: true,
      time_routing: { timezone: 'UTC', windows: [window], fallback_agent_id: values.agentId },
      fallback_number: '+15550100123',
    },
    archiveCall: { archived: false },
    createWebCall: {
      workspaceId,
      agentId: values.agentId,
      agentVersion: 1,
      metadata: { a: { b: 1 } },
      customAttributes: { c: 1 },
      dynamicVariables: { a: 'b' },
      optOutSensitiveDataStorage: false,
    },
    updateCall: {
      metadata: { a: 1 },
      customAttributes: { c: 2 },
      overrideDynamicVariables: { a: 'b' },
      data_storage_setting: 'everything',
    },
    controlCall: {
      say: { text: 'One moment.', interruptible: true },
      inject: { text: 'The order has left.', respond: false },
      variables: { a: 'b' },
    },
    createWebhook: webhook,
    updateWebhook: webhook,
    resendWebhookDelivery: { workspaceId },
  }
}
