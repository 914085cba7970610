import type { Agent } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import { expect, test } from 'vitest'
import { readAgentFile } from '../agent-file.ts'

/** A voice agent with a prompt, as exported by the Retell dashboard. */
const retellExport = {
  agent_id: '',
  channel: 'voice',
  last_modification_timestamp: 1_766_000_000_000,
  version: 3,
  is_published: false,
  version_title: null,
  agent_name: 'Front desk',
  response_engine: { type: 'retell-llm', llm_id: 'llm_of_theirs', version: 3 },
  language: 'de-DE',
  voice_id: '11labs-Somebody',
  voice_speed: 1.1,
  ambient_sound: null,
  interruption_sensitivity: 0.9,
  responsiveness: 0.8,
  allow_user_dtmf: false,
  user_dtmf_options: {},
  webhook_url: null,
  webhook_events: ['call_ended', 'transfer_started'],
  pii_config: { mode: 'post_call', categories: [] },
  opt_in_signed_url: false,
  handbook_config: { ai_disclosure: true, high_empathy: false },
  voicemail_option: { action: { type: 'hangup' } },
  post_call_analysis_data: [{ type: 'string', name: 'topic', description: 'What it was about.', examples: null }],
  retellLlmData: {
    llm_id: 'llm_of_theirs',
    version: 3,
    is_published: false,
    model: 'gpt-4.1',
    model_high_priority: true,
    tool_call_strict_mode: false,
    general_prompt: 'Be kind to {{name}}.',
    begin_message: 'Hello!',
    general_tools: [
      { type: 'end_call', name: 'hang_up', description: null },
      { type: 'agent_swap', name: 'to_sales', agent_id: 'agent_of_theirs' },
      { type: 'something_new', name: 'odd' },
    ],
    knowledge_base_ids: ['knowledge_base_of_theirs'],
  },
}

const readExport = (content: object) => readAgentFile<Agent>('agent', JSON.stringify(content))

test('imports supported settings', () => {
  const { file, error } = readExport(retellExport)
  expect(error).toBeNull()
  expect(file?.agent).toEqual({
    agent_name: 'Front desk',
    response_engine: { type: 'llm', llm_id: '', version: null },
    language: 'de-DE',
    voice_speed: 1.1,
    interruption_sensitivity: '0.9',
    allow_user_dtmf: false,
    user_dtmf_options: {},
    webhook_events: ['call_ended'],
    post_call_analysis_data: [{ type: 'string', name: 'topic', description: 'What it was about.' }],
  })
  expect(file?.llm).toEqual({
    display_name: 'Front desk',
    model: 'gpt-4.1',
    general_prompt: 'Be kind to {{name}}.',
    begin_message: 'Hello!',
    responsiveness: '0.8',
    general_tools: [{ type: 'end_call', name: 'hang_up' }],
  })
  expect(file?.flow).toBeNull()
})

test('reports unsupported settings by path, except for metadata and disabled settings', () => {
  expect(readExport(retellExport).file?.omittedPaths).toEqual([
    'voice_id',
    'webhook_events[1] (transfer_started)',
    'handbook_config',
    'voicemail_option',
    'retellLlmData.model_high_priority',
    'retellLlmData.general_tools[1] (to_sales)',
    'retellLlmData.general_tools[2] (odd)',
    'retellLlmData.knowledge_base_ids',
  ])
})

test('converts the start speaker and keeps the supported tools of states', () => {
  const exportedStates = [
    { name: 'greet', state_prompt: 'Greet.', tools: [{ type: 'agent_swap', name: 'away' }], edges: null },
  ]
  const retellLlmData = { general_prompt: 'Hi', start_speaker: 'user', begin_message: 'Hello!', states: exportedStates }
  const { file } = readExport({ ...retellExport, retellLlmData })
  expect(file?.llm).toMatchObject({
    begin_message: '',
    states: [{ name: 'greet', state_prompt: 'Greet.', tools: [] }],
  })
  expect(file?.omittedPaths).toContain('retellLlmData.states[0].tools[0] (away)')
  expect(file?.omittedPaths).not.toContain('retellLlmData.start_speaker')
})

test('imports a flow without its references to Retell knowledge bases', () => {
  const nodes = [
    { id: 'start', type: 'conversation', name: null, instruction: { type: 'prompt', text: 'Greet.' }, edges: [] },
    { id: 'end', type: 'end', knowledge_base_ids: ['knowledge_base_of_theirs'] },
  ]
  const { file } = readExport({
    ...retellExport,
    response_engine: { type: 'conversation-flow', conversation_flow_id: 'flow_of_theirs', version: 0 },
    retellLlmData: null,
    conversationFlow: {
      conversation_flow_id: 'flow_of_theirs',
      version: 0,
      start_speaker: 'agent',
      model_choice: { type: 'cascading', model: 'gpt-4.1' },
      flex_mode: true,
      nodes,
    },
  })
  expect(file?.flow).toEqual({
    display_name: 'Front desk',
    start_speaker: 'agent',
    model_choice: { type: 'cascading', model: 'gpt-4.1' },
    nodes: [
      { id: 'start', type: 'conversation', instruction: { type: 'prompt', text: 'Greet.' }, edges: [] },
      { id: 'end', type: 'end' },
    ],
  })
  expect(file?.agent.response_engine).toEqual({ type: 'conversation-flow', conversation_flow_id: '', version: null })
  expect(file?.omittedPaths).toEqual(
    expect.arrayContaining([
      'responsiveness',
      'conversationFlow.flex_mode',
      'conversationFlow.nodes[1].knowledge_base_ids',
    ]),
  )
})

test('a custom LLM needs only its URL', () => {
  const engine = { type: 'custom-llm', llm_websocket_url: 'wss://a.example/llm' }
  const { file } = readExport({ ...retellExport, response_engine: engine, retellLlmData: undefined })
  expect(file?.agent.response_engine).toEqual({ ...engine, version: null })
  expect(file?.llm).toBeNull()
})

test('imports the first of several languages', () => {
  const { file } = readExport({ ...retellExport, language: ['fr-FR', 'en-US'] })
  expect(file?.agent.language).toBe('fr-FR')
  expect(file?.omittedPaths).toContain('language[1]')
  const multilingualFile = readExport({ ...retellExport, language: 'multi' }).file
  expect(multilingualFile?.agent).not.toHaveProperty('language')
  expect(multilingualFile?.omittedPaths).toContain('language')
})

test('imports a text-only agent as a chat agent', () => {
  const { channel: _channel, voice_id: _voice, retellLlmData, ...rest } = retellExport
  const text = JSON.stringify({
    ...rest,
    channel: 'chat',
    auto_close_message: 'Goodbye.',
    post_call_analysis_data: undefined,
    post_chat_analysis_data: [],
    retellLlmData,
  })
  expect(readAgentFile<Agent>('agent', text).error).toBe('wrong-kind')
  const { file } = readAgentFile<ChatAgent>('chat-agent', text)
  expect(file?.agent).toMatchObject({ auto_close_message: 'Goodbye.', post_chat_analysis_data: [] })
  expect(file?.omittedPaths).toContain('voice_speed')
})

test.each([
  [{ ...retellExport, retellLlmData: undefined }, 'no-vendor-llm'],
  [{ ...retellExport, response_engine: { type: 'conversation-flow' }, conversationFlow: null }, 'no-vendor-flow'],
  [{ ...retellExport, response_engine: { type: 'telepathy' } }, 'no-engine'],
  [{ ...retellExport, response_engine: null }, 'no-engine'],
])('rejects an incomplete file (%#)', (content, error) => {
  expect(readExport(content)).toEqual({ file: null, error })
})
