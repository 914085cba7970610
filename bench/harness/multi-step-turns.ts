import type { Agent } from 'undici'
import type { Contender } from './contenders.ts'
import { BENCH_MODEL, BENCH_PROMPT, createLlmFactory, type EngineFactory, type ParleyServer } from './parley-server.ts'
import { buildParleyTurn, createChats, JSON_TYPE, MODEL_STREAM, TURN_CONTENT } from './parley-turn.ts'
import { runStreamedTurn, runTurnSteps, type TurnTarget } from './streamed-turn.ts'

/** Turns in which an agent acts before it speaks, and the requests that a bare client sends for the same result. */

/** URLs of the stubs for external services. */
export interface StubUrls {
  readonly modelUrl: string
  readonly toolUrl: string
}

/** A kind of multi-step turn. */
export interface MultiStepKind {
  readonly name: 'tool call' | 'routed flow'
  /** Requests that the bare client sends in sequence. */
  readonly buildBaselineRequests: (stubs: StubUrls) => readonly TurnTarget[]
  readonly getEngineFactory: (stubs: StubUrls) => EngineFactory
  /** Text that appears in a chat once for each turn that ran the measured steps. */
  readonly marker: string
}

const TOOL = {
  name: 'find_times',
  description: 'Finds the free times of a day.',
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
}
const ROUTER = {
  name: 'choose_transition',
  description: 'Decides where the conversation goes next.',
  parameters: { type: 'object', properties: { choice: { type: 'string' } }, required: ['choice'] },
}
const ARGUMENTS = { day: 'Thursday' }
const REQUEST_MESSAGES = [
  { role: 'system', content: BENCH_PROMPT },
  { role: 'user', content: TURN_CONTENT },
]
const TOOL_CALLS = [
  { id: 'call_1', type: 'function', function: { name: TOOL.name, arguments: JSON.stringify(ARGUMENTS) } },
]
/** Tool result in the form that the model receives. */
const TOOL_RESULT = '{"day":"Thursday","times":["09:00","10:30","14:15"]}'
const FOLLOW_UP_MESSAGES = [
  ...REQUEST_MESSAGES,
  { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
  { role: 'tool', tool_call_id: 'call_1', content: TOOL_RESULT },
]
const TOOL_CALL_STREAM = { ...MODEL_STREAM, firstToken: '"delta":{"tool_calls"' }

export const MULTI_STEP_KINDS: readonly MultiStepKind[] = [
  {
    name: 'tool call',
    buildBaselineRequests: ({ modelUrl, toolUrl }) => [
      { ...buildModelRequest(modelUrl, { messages: REQUEST_MESSAGES, tools: [TOOL] }), ...TOOL_CALL_STREAM },
      {
        origin: toolUrl,
        path: '/times',
        headers: JSON_TYPE,
        body: JSON.stringify({ name: TOOL.name, args: ARGUMENTS }),
        firstToken: '"times"',
        lastToken: '14:15',
      },
      { ...buildModelRequest(modelUrl, { messages: FOLLOW_UP_MESSAGES, tools: [TOOL] }), ...MODEL_STREAM },
    ],
    getEngineFactory: ({ toolUrl }) =>
      createLlmFactory({ general_tools: [{ type: 'custom', url: `${toolUrl}/times`, ...TOOL }] }),
    marker: '14:15',
  },
  {
    name: 'routed flow',
    buildBaselineRequests: ({ modelUrl }) => [
      { ...buildModelRequest(modelUrl, { messages: REQUEST_MESSAGES, tools: [ROUTER] }), ...TOOL_CALL_STREAM },
      { ...buildModelRequest(modelUrl, { messages: REQUEST_MESSAGES, tools: [] }), ...MODEL_STREAM },
    ],
    getEngineFactory: () => createFlow,
    marker: '"name":"node_transition"',
  },
]

function buildModelRequest(
  modelUrl: string,
  { messages, tools }: { readonly messages: readonly object[]; readonly tools: readonly object[] },
): Pick<TurnTarget, 'origin' | 'path' | 'headers' | 'body'> {
  const functions = tools.map((tool) => ({ type: 'function', function: tool }))
  const body = {
    model: BENCH_MODEL.split('/')[1],
    stream: true,
    stream_options: { include_usage: true },
    messages,
    ...(functions.length > 0 && { tools: functions }),
  }
  return { origin: modelUrl, path: '/v1/chat/completions', headers: JSON_TYPE, body: JSON.stringify(body) }
}

/** Creates a flow with two nodes that hand the user to each other in every turn, after a greeting that requires no model. */
async function createFlow(parley: ParleyServer, workspaceId: number): Promise<object> {
  const createEdge = (id: string, destination: string, prompt: string): object => ({
    id,
    destination_node_id: destination,
    transition_condition: { type: 'prompt', prompt },
  })
  const createDesk = (id: string, otherId: string, text: string): object => ({
    id,
    type: 'conversation',
    instruction: { type: 'prompt', text },
    edges: [
      createEdge(`${id}_on`, otherId, 'The user asks for something else.'),
      createEdge(`${id}_back`, 'greeting', 'The user wants to begin again.'),
    ],
  })
  const greeting = {
    id: 'greeting',
    type: 'conversation',
    instruction: { type: 'static_text', text: 'Good morning, how can I help?' },
    edges: [
      createEdge('greeting_hours', 'hours', 'The user asks when the practice is open.'),
      createEdge('greeting_booking', 'booking', 'The user wants an appointment.'),
    ],
  }
  const nodes = [
    greeting,
    createDesk('hours', 'booking', 'Say when the practice is open.'),
    createDesk('booking', 'hours', 'Offer an appointment.'),
  ]
  const { conversation_flow_id } = (await parley.call('POST', '/api/conversation-flows', {
    workspaceId,
    global_prompt: BENCH_PROMPT,
    model_choice: { type: 'cascading', model: BENCH_MODEL },
    start_node_id: 'greeting',
    nodes,
  })) as { conversation_flow_id: string }
  return { type: 'conversation-flow', conversation_flow_id }
}

/** Creates the contender for a client that performs all steps without Parley. */
export function createBaselineContender(agent: Agent, kind: MultiStepKind, stubs: StubUrls): Contender {
  const steps = kind.buildBaselineRequests(stubs)
  return { name: 'bare client', runTurn: () => runTurnSteps(agent, steps) }
}

/**
 * Creates an agent and its chats, and runs two turns in an additional chat to verify that the turns perform the measured steps.
 */
export async function prepareMultiStepTurns(
  agent: Agent,
  parley: ParleyServer,
  options: { readonly kind: MultiStepKind; readonly stubs: StubUrls; readonly conversations: number },
): Promise<Contender['runTurn']> {
  const { kind, stubs, conversations } = options
  const [probe, ...chats] = await createChats(parley, conversations + 1, kind.getEngineFactory(stubs))
  if (probe === undefined) throw new Error('No chat was created.')
  const turns = 2
  for (let turn = 0; turn < turns; turn += 1) await runStreamedTurn(agent, buildParleyTurn(parley, probe))
  const { chatId, workspaceId } = probe
  const stored = JSON.stringify(await parley.call('GET', `/api/chats/${chatId}?workspaceId=${workspaceId}`))
  const markerCount = stored.split(kind.marker).length - 1
  if (markerCount !== turns)
    throw new Error(`Found ${kind.marker} ${markerCount} times after ${turns} turns "${kind.name}": ${stored}`)
  const targets = chats.map((chat) => buildParleyTurn(parley, chat))
  return (conversation) => runStreamedTurn(agent, targets[conversation] as TurnTarget)
}
