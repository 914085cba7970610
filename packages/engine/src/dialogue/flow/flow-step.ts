import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import type { DialogueEvent, FlowPlace, HistoryMessage, TransitionType } from '../conversation.ts'
import { explain } from '../explanation.ts'
import type { EngineEnd } from '../turn.ts'
import type { DecisionTrigger } from './decide-transition.ts'
import type { NodeContext } from './flow-run.ts'

/** The next step of a flow. */
export type FlowStep =
  /** `isReturning`: the component at the place has finished, so the node only makes a decision. */
  | {
      readonly type: 'go'
      readonly place: FlowPlace
      readonly transitionType: TransitionType
      readonly isReturning: boolean
    }
  /** Runs the node. */
  | ({ readonly type: 'work' } & NodeStart)
  /** `note` describes what happened at the node, or is `null` if the history already contains it. */
  | { readonly type: 'decide'; readonly trigger: DecisionTrigger; readonly note: string | null }
  | EdgeStep
  /** Lets the node's model speak, after which the node listens. */
  | { readonly type: 'speak'; readonly note: string | null }
  | { readonly type: 'done'; readonly end: EngineEnd }

/** Takes the edge that matches the result of the node's work. If the edge has no destination, the other edges decide. */
interface EdgeStep {
  readonly type: 'take-edge'
  readonly edge: FixedFlowEdge | undefined
  readonly reason: string
  readonly note: string | null
}

/** The input for running a node. */
export interface NodeStart {
  /** The node's messages from earlier turns. */
  readonly priorMessages: readonly HistoryMessage[]
  /** Arguments that the user approved. */
  readonly approvedArguments: string | null
}

/** The outcome of running a node. */
export type NodeEnd =
  /** The node has spoken and either listens or continues without an answer. */
  | { readonly type: 'spoken' }
  /** The silent work is finished, and the edges decide. For `note`, see `FlowStep`. */
  | { readonly type: 'worked'; readonly note: string | null }
  | EdgeStep
  /** A model has to speak before the node can continue. */
  | { readonly type: 'speak'; readonly note: string }
  /** The node runs a component that starts at `place`. */
  | { readonly type: 'component'; readonly place: FlowPlace }
  | { readonly type: 'engine-end'; readonly end: EngineEnd }

/** The turn is complete, and the node listens. */
export const COMPLETED: FlowStep = { type: 'done', end: { type: 'completed' } }

export const CANCELLED: FlowStep = { type: 'done', end: { type: 'stopped' } }

/** Runs a node that was just entered. */
export const WORK: FlowStep = { type: 'work', priorMessages: [], approvedArguments: null }

/** The turn was canceled, or failed with a `turn-end` event. */
export const STOPPED: NodeEnd = { type: 'engine-end', end: { type: 'stopped' } }

/** The conversation ends. */
export const ENDED: NodeEnd = { type: 'engine-end', end: { type: 'ended' } }

/** Builds the event that reports why a node could not do its work. */
export function explainSkippedNode({ node: { id, type } }: NodeContext, reason: string): DialogueEvent {
  return explain({ type: 'skipped', what: `node "${id}" (${type})`, reason })
}
