import type { FlowNode } from '@parley/contract/flow-node'
import type { DialogueEvent, DialogueState, FlowEngine, FlowGraph, HistoryMessage } from '../dialogue/conversation.ts'
import { NO_KNOWLEDGE } from '../dialogue/knowledge/knowledge-use.ts'
import { applyVariableUpdates } from '../dialogue/variables/variable-updates.ts'
import { findTurnGrammarProblem } from './check-turn-grammar.ts'
import { runScenario, type ScenarioOptions, selectEvents } from './dialogue-scenario.ts'
import { callTools, createScriptedModel, type ScriptedStep } from './scripted-model.ts'

/** Builders for edges, nodes and conversations of flows. */

/** Builds an edge with a condition in natural language. Without a destination, the edge leaves the component. */
export function createPromptEdge(id: string, prompt: string, destination?: string) {
  return { id, transition_condition: { type: 'prompt', prompt } as const, ...toDestination(destination) }
}

/** Builds an edge with an equation. */
export function createEquationEdge(id: string, equation: string, destination?: string) {
  return { id, transition_condition: { type: 'equation', prompt: equation } as const, ...toDestination(destination) }
}

/** Builds an unconditional edge. */
export function createFixedEdge(id: string, destination?: string) {
  return { id, ...toDestination(destination) }
}

function toDestination(destination: string | undefined) {
  return destination === undefined ? {} : { destination_node_id: destination }
}

type ConversationNode = Extract<FlowNode, { type: 'conversation' }>
type Fields = Omit<Partial<ConversationNode>, 'id' | 'type' | 'instruction'>

/** Builds a node with text that the model writes. */
export function createPromptNode(id: string, text: string, fields: Fields = {}): ConversationNode {
  return { ...fields, id, type: 'conversation', instruction: { type: 'prompt', text } }
}

/** Builds a node with static text. */
export function createStaticNode(id: string, text: string, fields: Fields = {}): ConversationNode {
  return { ...fields, id, type: 'conversation', instruction: { type: 'static_text', text } }
}

/** Builds a component that starts at its first node. */
export function createGraph(nodes: readonly FlowNode[], fields: Partial<FlowGraph> = {}): FlowGraph {
  return { startNodeId: nodes[0]?.id ?? '', nodes, tools: [], mcps: [], ...fields }
}

/** Builds a flow that starts at its first node and uses the model `main`. */
export function createFlow(nodes: readonly FlowNode[], fields: Partial<FlowEngine> = {}): FlowEngine {
  return {
    kind: 'conversation-flow',
    id: 'conversation_flow_1',
    version: 1,
    model: 'main',
    temperature: null,
    knowledge: NO_KNOWLEDGE,
    globalPrompt: 'You are a test.',
    startSpeaker: 'agent',
    maxHopsPerTurn: 8,
    components: {},
    defaultVariables: {},
    ...createGraph(nodes),
    ...fields,
  }
}

/** Builds a step in which the router chooses an edge. */
export function chooseTransition(choice: string, variables: Readonly<Record<string, unknown>> = {}): ScriptedStep {
  return callTools(['choose_transition', { choice, reason: 'because', ...variables }])
}

/** The stored state of a conversation. */
export interface ConversationMemory {
  readonly history: readonly HistoryMessage[]
  readonly state: DialogueState | null
  readonly omittedMessages?: number
}

export const EMPTY_MEMORY: ConversationMemory = { history: [], state: null }

/** Options for a turn of a stored conversation. */
export interface FlowTurnOptions extends Omit<ScenarioOptions, 'graph' | 'engine' | 'input' | 'models'> {
  /** Steps of the model, which must all be used. */
  readonly steps?: readonly ScriptedStep[]
  readonly memory?: ConversationMemory
  /** The user's text, or `null` to continue the conversation. */
  readonly text?: string | null
}

/** Runs one turn with a scripted model and returns what a driver would store. */
export async function playFlowTurn(
  graph: FlowEngine,
  { steps = [], memory = EMPTY_MEMORY, text = 'hi', ...options }: FlowTurnOptions = {},
) {
  const main = createScriptedModel(steps)
  const input = text === null ? ({ type: 'continue' } as const) : ({ type: 'user-message', content: text } as const)
  const conversation = { ...options.conversation, ...memory }
  const events = await runScenario({ ...options, graph, conversation, input, models: { main } })
  main.assertConsumed()
  const problem = text === null ? null : findTurnGrammarProblem(events)
  if (problem !== null) throw new Error(`The turn has ${problem}.`)
  return {
    events,
    memory: storeTurn(memory, text, events),
    words: listTexts(events),
    route: listTransitions(events),
    decisions: listDecisions(events),
    explanations: selectEvents(events, 'explanation').map(({ explanation }) => explanation),
    requests: main.requests,
  }
}

/**
 * Returns the conversation that is stored after these events. Messages with calls, results, transitions and turn ends
 * are commits. With `isCut`, the process crashed, so everything after the last commit is lost.
 */
export function storeTurn(
  memory: ConversationMemory,
  text: string | null,
  events: readonly DialogueEvent[],
  hasCrashed = false,
): ConversationMemory {
  const userMessages: readonly HistoryMessage[] = text === null ? [] : [{ role: 'user', content: text }]
  let committedMemory: ConversationMemory = { history: [...memory.history, ...userMessages], state: memory.state }
  let { history, state } = committedMemory
  for (const event of events) {
    history = [...history, ...listMessages(event)]
    state = getStateAfter(state, event)
    if (isCommit(event)) committedMemory = { history, state }
  }
  return JSON.parse(JSON.stringify(hasCrashed ? committedMemory : { history, state })) as ConversationMemory
}

function listMessages(event: DialogueEvent): HistoryMessage[] {
  if (event.type === 'tool-result') {
    const { toolCallId, name, fullContent } = event
    return [{ role: 'tool', toolCallId, name, content: fullContent }]
  }
  if (event.type !== 'message-end' || event.incomplete) return []
  return [{ role: 'assistant', content: event.content, toolCalls: event.toolCalls }]
}

function getStateAfter(state: DialogueState | null, event: DialogueEvent): DialogueState | null {
  if (event.type === 'variables-collected') {
    return state && { ...state, collectedVariables: applyVariableUpdates(state.collectedVariables, event.variables) }
  }
  return 'state' in event && event.state !== undefined ? event.state : state
}

function isCommit(event: DialogueEvent): boolean {
  if (event.type === 'message-end') return event.toolCalls.length > 0
  return ['tool-result', 'node-transition', 'state-transition', 'turn-end'].includes(event.type)
}

/** Lists a turn's transitions as `from>to`, followed by the transition type unless it is normal. */
export function listTransitions(events: readonly DialogueEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'node-transition') return []
    const suffix = event.transitionType === 'normal' ? '' : ` ${event.transitionType}`
    return [`${event.from?.nodeId ?? ''}>${event.to.nodeId}${suffix}`]
  })
}

/** Returns the text of each message in a turn. */
export function listTexts(events: readonly DialogueEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'message-end' && event.content !== '' ? [event.content] : []))
}

/** Lists a turn's decisions as tier and edge. */
export function listDecisions(events: readonly DialogueEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'explanation' || event.explanation.type !== 'flow-decision') return []
    const { tier, edgeId } = event.explanation
    return [edgeId === null ? tier : `${tier} ${edgeId}`]
  })
}
