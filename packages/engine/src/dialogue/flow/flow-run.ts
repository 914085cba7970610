import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { JsonObject } from '../../ports.ts'
import type { FlowEngine, FlowGraph, FlowPosition, HistoryMessage } from '../conversation.ts'
import type { Prompt, Turn } from '../turn.ts'
import { renderTemplate } from '../variables/variables.ts'
import { BackgroundCalls } from './background-calls.ts'
import { graphAt, nodeAt } from './flow-graph.ts'
import { HopBudget } from './hop-budget.ts'
import { instructionText } from './node-scene.ts'

/** One turn of a flow under way. */
export interface FlowRun {
  readonly turn: Turn
  readonly engine: FlowEngine
  /** Calls whose results nobody waits for. */
  readonly background: BackgroundCalls
  /** Bounds the transitions that the flow makes without the user. */
  readonly budget: HopBudget
  /** A router has judged what the user said in this turn. */
  isRouterAsked: boolean
  /** Values that the router told for the node that it led to. */
  routerArgs: JsonObject | null
}

/** Where the conversation stands. */
export interface NodeContext {
  readonly position: FlowPosition
  readonly node: AnyFlowNode
  /** The graph of the node. */
  readonly graph: FlowGraph
}

export function startRun(turn: Turn, engine: FlowEngine): FlowRun {
  const budget = new HopBudget(turn, engine.maxHopsPerTurn)
  return { turn, engine, background: new BackgroundCalls(turn), budget, isRouterAsked: false, routerArgs: null }
}

/** Where the conversation stands; `null` before its first node, and when the flow has no such place. */
export function currentNodeContext({ turn, engine }: FlowRun): NodeContext | null {
  const position = turn.flow
  if (position === null) return null
  const graph = graphAt(engine, position.path)
  const node = nodeAt(engine, position)
  return graph === null || node === null ? null : { position, node, graph }
}

/** Whether another agent had the conversation when the turn began. */
export function wasHandedOver({ turn, engine }: FlowRun): boolean {
  return turn.conversation.engine !== engine
}

/** What the node has said and done in turns before this one. */
export function priorMessages(run: FlowRun, { messagesBefore }: FlowPosition): readonly HistoryMessage[] {
  if (messagesBefore === undefined || wasHandedOver(run)) return []
  const { turn } = run
  return turn.conversation.history.slice(Math.max(0, messagesBefore - omittedMessages(turn)))
}

/** Number of messages that the conversation has before those that the turn knows. */
export function omittedMessages({ conversation }: Turn): number {
  return conversation.omittedMessages ?? 0
}

/** A silent question to the model of a node, told what it is there for. */
export function questionPrompt(
  { turn, engine }: FlowRun,
  node: AnyFlowNode,
  question: { readonly task: string; readonly tool: Prompt['tools'][number] },
): Prompt {
  const parts = [engine.globalPrompt, instructionText(node)].map((part) => renderTemplate(part, turn.lookup))
  const system = [question.task, ...parts].filter((part) => part.trim() !== '').join('\n\n')
  return { system, tools: [question.tool], temperature: engine.temperature }
}
