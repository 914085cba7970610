import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { JsonObject } from '../../ports.ts'
import type { FlowEngine, FlowGraph, FlowPosition, HistoryMessage } from '../conversation.ts'
import { joinParagraphs } from '../text.ts'
import type { Prompt, Turn } from '../turn.ts'
import { renderTemplate } from '../variables/variables.ts'
import { BackgroundCalls } from './background-calls.ts'
import { findGraphAt, findNodeAt } from './flow-graph.ts'
import { HopBudget } from './hop-budget.ts'
import { getInstructionText } from './node-scene.ts'

/** A running turn of a flow. */
export interface FlowRun {
  readonly turn: Turn
  readonly engine: FlowEngine
  /** Tool calls that run while the turn continues. */
  readonly background: BackgroundCalls
  /** Limits transitions without user input. */
  readonly budget: HopBudget
  /** Whether a router has evaluated the user's words in this turn. */
  hasAskedRouter: boolean
  /** Values that the router returned for the destination node. */
  routerArgs: JsonObject | null
}

/** The current position with its node and graph. */
export interface NodeContext {
  readonly position: FlowPosition
  readonly node: AnyFlowNode
  /** The graph that contains the node. */
  readonly graph: FlowGraph
}

export function createFlowRun(turn: Turn, engine: FlowEngine): FlowRun {
  const budget = new HopBudget(turn, engine.maxHopsPerTurn)
  return { turn, engine, background: new BackgroundCalls(turn), budget, hasAskedRouter: false, routerArgs: null }
}

/** Returns the current node's context, or `null` before the first node and if the flow has no such place. */
export function getCurrentNodeContext({ turn, engine }: FlowRun): NodeContext | null {
  const position = turn.flow
  if (position === null) return null
  const graph = findGraphAt(engine, position.path)
  const node = findNodeAt(engine, position)
  return graph === null || node === null ? null : { position, node, graph }
}

/** Whether another agent started the turn. */
export function wasHandedOver({ turn, engine }: FlowRun): boolean {
  return turn.conversation.engine !== engine
}

/** Returns the node's messages from earlier turns. */
export function getPriorMessages(run: FlowRun, { messagesBefore }: FlowPosition): readonly HistoryMessage[] {
  if (messagesBefore === undefined || wasHandedOver(run)) return []
  const { turn } = run
  return turn.conversation.history.slice(Math.max(0, messagesBefore - countOmittedMessages(turn)))
}

/** Returns the number of messages before the available history. */
export function countOmittedMessages({ conversation }: Turn): number {
  return conversation.omittedMessages ?? 0
}

/** Builds the prompt for a silent question to the node's model, including the node's instruction. */
export function buildQuestionPrompt(
  { turn, engine }: FlowRun,
  node: AnyFlowNode,
  question: { readonly task: string; readonly tool: Prompt['tools'][number] },
): Prompt {
  const parts = [engine.globalPrompt, getInstructionText(node)].map((part) => renderTemplate(part, turn.lookup))
  return { system: joinParagraphs([question.task, ...parts]), tools: [question.tool], temperature: engine.temperature }
}
