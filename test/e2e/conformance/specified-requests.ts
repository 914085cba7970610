import { VOICE } from '../../../testing/server-test.ts'
import { PLAIN_NODES, type Scene } from './scene.ts'

/**
 * Request bodies with exactly the fields of the specification, copied by hand. The operation table adds the
 * workspace.
 */

const HANDOFFS = {
  public_handoff_option: { type: 'prompt', prompt: 'Introduce the caller.' },
  private_handoff_option: { type: 'static_message', message: 'A caller is waiting.' },
}

const TRANSFER = {
  show_transferee_as_caller: true,
  transfer_ring_duration_ms: 30_000,
  on_hold_music: 'relaxing_sound',
  ...HANDOFFS,
  enable_bridge_audio_cue: true,
}

/** All tools in the specification. */
const transferTools = ({ secondAgentId }: Scene) => [
  {
    type: 'transfer_call',
    name: 'to_desk',
    description: 'Transfers to the front desk',
    transfer_destination: { type: 'predefined', number: '+15550100200' },
    transfer_option: { type: 'cold_transfer', cold_transfer_mode: 'sip_refer', ...TRANSFER },
    custom_sip_headers: { 'X-Customer_Id': '17', xCampaign: 'spring' },
  },
  {
    type: 'transfer_call',
    name: 'to_anybody',
    description: 'Transfers to whoever knows',
    transfer_destination: { type: 'inferred', prompt: 'Sales for prices, support for the rest.' },
    transfer_option: { type: 'warm_transfer', agent_detection_timeout_ms: 20_000, ...TRANSFER },
    custom_sip_headers: {},
  },
  {
    type: 'transfer_call',
    name: 'to_agent',
    description: 'Lets another agent introduce the caller',
    transfer_destination: { type: 'predefined', number: '+15550100201' },
    transfer_option: {
      type: 'agentic_warm_transfer',
      agentic_transfer_config: {
        transfer_agent: { agent_id: secondAgentId, agent_version: 1 },
        transfer_timeout_ms: 30_000,
        action_on_timeout: 'cancel_transfer',
      },
      ...TRANSFER,
    },
  },
]

export const llmBody = (scene: Scene) => ({
  display_name: 'Front desk',
  model: 'offline',
  general_prompt: 'You answer the phone.',
  begin_message: 'Hello!',
  responsiveness: 'fast',
  general_tools: transferTools(scene),
})

export const agentBody = ({ ids: { llmId } }: Scene) => ({
  agent_name: 'Night shift',
  voice_id: VOICE,
  response_engine: { type: 'llm', llm_id: llmId },
  response_threshold: 700,
  interruption_sensitivity: 'low',
  ambient_sound: 'call-center',
})

export const flowBody = () => ({ start_speaker: 'user', nodes: PLAIN_NODES, global_prompt: 'Be brief.' })

/** The node fields that the specification shows in responses. */
export const instructedFlowBody = () => ({
  ...flowBody(),
  nodes: PLAIN_NODES.map((node) => ({ ...node, instruction: { type: 'prompt', text: `You are at ${node.id}.` } })),
})

export const flowChanges = () => ({
  global_prompt: 'Be very brief.',
  nodes: [{ id: 'bye', type: 'end', edges: [] }],
})

export const chatChanges = () => ({
  metadata: { order_id: 18, orderId: 19, 'order-id': { deep_key: true, deepKey: false } },
  custom_attributes: { tier_name: 'gold', tierName: 'silver' },
  override_dynamic_variables: { user_name: 'Ada', userName: 'Grace' },
})

export const assignmentBody = ({ accountSid, ids, secondAgentId }: Scene) => ({
  accountSid,
  outboundAgentId: ids.agentId,
  outboundAgentVersion: 1,
  inboundAgents: [
    { agent_id: ids.agentId, agent_version: 1, weight: 0.75 },
    { agent_id: secondAgentId, agent_version: 1, weight: 0.25 },
  ],
  inboundWebhookUrl: 'https://hooks.example/inbound?a=1',
  isTimeRoutingEnabled: true,
})

/** Expected record and summary after that assignment. */
export const assignedFields = ({ accountSid, workspaceId, ids, secondAgentId }: Scene) => ({
  account_sid: accountSid,
  workspace_id: workspaceId,
  agent_id: ids.agentId,
  inbound_agent_id: null,
  inbound_agents: [
    { agent_id: ids.agentId, agent_version: 1, weight: 0.75 },
    { agent_id: secondAgentId, agent_version: 1, weight: 0.25 },
  ],
  outbound_agents: [{ agent_id: ids.agentId, agent_version: 1, weight: 1 }],
  is_time_routing_enabled: true,
  platform_import_error: false,
  platform_import_error_message: null,
})

/** A test case tests one engine, although the specification lists the fields of both. The client chooses the ID. */
export const testCaseBody = ({ ids: { llmId }, makeDigits }: Scene) => ({
  test_case_definition_id: `test_case_${makeDigits()}`,
  llm_id: llmId,
  version: 1,
  name: 'Books a table',
  description: 'For two at seven',
})

export const flowTestCaseBody = ({ ids: { conversationFlowId }, makeDigits }: Scene) => ({
  test_case_definition_id: `test_case_${makeDigits()}`,
  conversation_flow_id: conversationFlowId,
  version: 1,
  name: 'Hangs up',
  description: '',
})

/** Listed newest first, so the last one in a request comes first. */
export const knowledgeSources = () => ({
  sources: [
    { title: 'Opening hours', text: 'The counter is open from nine to six.' },
    { filename: 'prices.csv', contentType: 'text/csv', base64: 'TW9kZWwsUHJpY2UKUml2ZXIsNjQ5' },
  ],
})
