import type { AgentWritten } from '@parley/contract/agent'
import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { ChatTurn } from '@parley/contract/chat-turn'
import type { ConversationFlowWritten } from '@parley/contract/conversation-flow'
import { startMcpServer } from '../../../testing/mcp-server/mcp-server.ts'
import type { ScriptedAnswer } from '../../../testing/model-server/reply.ts'
import type { RunningServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, expectBody, read, readChat, send } from '../../../testing/server-test.ts'
import { type ScriptedModel, sharedTest } from '../scripted-model.ts'

/** Runs tests against a server with a scripted model, a tool server and an MCP server, shared by the files of a worker. */
export const test = sharedTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('mcp', { scope: 'test' }, async ({}, { onCleanup }) => {
    const mcp = await startMcpServer()
    onCleanup(() => mcp.close())
    return mcp
  })

/** Creates an edge whose condition a model evaluates. */
export function edge(to: string | null, prompt: string, id = `to-${to ?? 'out'}`): object {
  return { id, transition_condition: { type: 'prompt', prompt }, ...(to !== null && { destination_node_id: to }) }
}

/** An edge with a condition implied by its place; `null` leads out of a component. */
export function to(destination: string | null): object {
  return destination === null ? {} : { destination_node_id: destination }
}

/** An edge that is taken when an equation holds. */
export function when(
  left: string,
  operator: string,
  right: string | number | boolean | null,
  destination: string,
): object {
  const equation = { left, operator, ...(right !== null && { right }) }
  return {
    id: `when-${left}-${destination}`,
    transition_condition: { type: 'equation', equations: [equation] },
    destination_node_id: destination,
  }
}

/** Creates a node that says a fixed text. */
export function says(id: string, text: string, fields: object = {}): object {
  return { id, type: 'conversation', instruction: { type: 'static_text', text }, ...fields }
}

/** Creates a node with a prompt. */
export function talks(id: string, prompt: string, fields: object = {}): object {
  return { id, type: 'conversation', instruction: { type: 'prompt', text: prompt }, ...fields }
}

/** Creates a router's reply. */
export function chooses(choice: string, routerArguments: object = {}): ScriptedAnswer {
  return callsTool('choose_transition', { choice, reason: 'Because of the test.', ...routerArguments })
}

/** Creates a model reply that calls one tool. */
export function callsTool(name: string, args: object = {}): ScriptedAnswer {
  return { toolCalls: [{ name, arguments: JSON.stringify(args) }] }
}

/** Creates an agent on a new flow. */
export async function flowAgent(
  server: RunningServer,
  flow: object,
  fields: object = {},
): Promise<{ readonly agent: AgentWritten; readonly flow: ConversationFlowWritten }> {
  const createdFlow = await expectBody(
    201,
    send<ConversationFlowWritten>(server, 'POST', '/api/conversation-flows', flow),
  )
  const engine = { type: 'conversation-flow', conversation_flow_id: createdFlow.conversation_flow_id }
  return { flow: createdFlow, agent: await createAgent(server, { response_engine: engine, ...fields }) }
}

interface FlowScene {
  /** Fields of the flow: its nodes, and what they need. */
  readonly flow: object
  readonly agent?: object
  readonly chat?: object
}

/** Creates a chat with a new agent on a new flow that uses the model. */
export async function flowChat(
  server: RunningServer,
  model: Pick<ScriptedModel, 'name'>,
  { flow, agent = {}, chat = {} }: FlowScene,
): Promise<Chat> {
  const choice = { type: 'cascading', model: model.name }
  const createdFlow = await flowAgent(server, { model_choice: choice, global_prompt: 'Be brief.', ...flow }, agent)
  return await createChat(server, createdFlow.agent, chat)
}

/** Messages in short: role and text, tool results by name, and other records. */
export function formatTrail(
  messages: readonly Pick<ChatMessage, 'role' | 'name' | 'content' | 'tool_calls'>[],
): string[] {
  return messages.flatMap(({ role, name, content, tool_calls: calls }) => {
    if (role === 'system') return [describeRecord(name, content)]
    if (role === 'tool') return [`${name} -> ${content}`]
    const words = content === '' ? [] : [`${role === 'user' ? 'user' : 'agent'}: ${content}`]
    return [...words, ...calls.map((call) => `${call.function.name}(${call.function.arguments})`)]
  })
}

function describeRecord(name: string, content: string): string {
  const record = JSON.parse(content) as Record<string, string | null>
  switch (name) {
    case 'node_transition': {
      const kind = record.transition_type === 'normal' ? '' : ` (${record.transition_type})`
      return `${record.former_node_id ?? 'start'} => ${record.new_node_id}${kind}`
    }
    case 'state_transition':
      return `${record.former_state_name} => ${record.new_state_name}`
    case 'agent_swap':
      return `swap to ${record.agent_name}`
    default:
      return `${name} ${record.status}: ${record.text}`
  }
}

/** Summarizes the whole chat. */
export async function readTrail(server: RunningServer, chatId: string): Promise<string[]> {
  return formatTrail((await readChat(server, chatId)).messages)
}

/** The turns of a chat, oldest first. */
export async function readTurns(server: RunningServer, chatId: string): Promise<ChatTurn[]> {
  return (await expectBody(200, read<ChatTurn[]>(server, `/api/chats/${chatId}/turns`))).toReversed()
}

/** Returns the tiers of the flow decisions in a turn. */
export function routingTiersOf({ decisions }: Pick<ChatTurn, 'decisions'>): unknown[] {
  return decisions.flatMap((decision) => (decision.type === 'flow-decision' ? [decision.tier] : []))
}

/** The system prompt of each request, and the model that received it. */
export function systemPromptOf(model: ScriptedModel, index: number): string {
  const messages = model.requests[index]?.body.messages as { role: string; content: string }[] | undefined
  return messages?.[0]?.content ?? ''
}

/** Returns the names of the tools offered to a model. */
export function toolsOf(model: ScriptedModel, index: number): string[] {
  const tools = (model.requests[index]?.body.tools ?? []) as { function: { name: string } }[]
  return tools.map((tool) => tool.function.name)
}
