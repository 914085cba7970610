import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import type { DialogueEvent, FlowPlace, HistoryMessage, TransitionType } from '../conversation.ts'
import { explain } from '../explanation.ts'
import type { EngineEnd } from '../turn.ts'
import type { DecisionTrigger } from './decide-transition.ts'
import type { NodeContext } from './flow-run.ts'

/** The next step of a flow. */
export type FlowStep =
  /** `isReturning`: the component at the place has finished, so the node only decides. */
  | { readonly type: 'go'; readonly place: FlowPlace; readonly arrival: TransitionType; readonly isReturning: boolean }
  /** Runs the node. */
  | ({ readonly type: 'work' } & NodeStart)
  /** `note`: what happened at the node, if the history does not show it. */
  | { readonly type: 'decide'; readonly trigger: DecisionTrigger; readonly note: string | null }
  | EdgeStep
  /** Lets the node's model speak; the node then listens. */
  | { readonly type: 'speak'; readonly note: string | null }
  | { readonly type: 'done'; readonly end: EngineEnd }

/** Takes the edge that matches the result of the node's work; without a destination the other edges decide. */
interface EdgeStep {
  readonly type: 'take-edge'
  readonly edge: FixedFlowEdge | undefined
  readonly reason: string
  readonly note: string | null
}

/** Input of a node's run. */
export interface NodeStart {
  /** The node's messages from earlier turns. */
  readonly before: readonly HistoryMessage[]
  /** Arguments that the user has approved. */
  readonly approvedArguments: string | null
}

/** Result of a node's run. */
export type NodeEnd =
  /** The node has spoken and listens, or continues without an answer. */
  | { readonly type: 'spoken' }
  /** The silent work is done and the edges decide. `note`: see `FlowStep`. */
  | { readonly type: 'worked'; readonly note: string | null }
  | EdgeStep
  /** A model speaks before the node can continue. */
  | { readonly type: 'speak'; readonly note: string }
  /** The node runs a component that starts at this place. */
  | { readonly type: 'component'; readonly place: FlowPlace }
  | { readonly type: 'engine-end'; readonly end: EngineEnd }

/** The turn is complete and the node listens. */
export const COMPLETED: FlowStep = { type: 'done', end: { type: 'completed' } }

export const CANCELLED: FlowStep = { type: 'done', end: { type: 'stopped' } }

/** Runs a node that was just entered. */
export const WORK: FlowStep = { type: 'work', before: [], approvedArguments: null }

/** The turn was cancelled, or failed with a `turn-end` event. */
export const STOPPED: NodeEnd = { type: 'engine-end', end: { type: 'stopped' } }

/** The conversation ends. */
export const ENDED: NodeEnd = { type: 'engine-end', end: { type: 'ended' } }

/** Reports that a node could not do its work. */
export function skippedExplanation({ node: { id, type } }: NodeContext, reason: string): DialogueEvent {
  return explain({ type: 'skipped', what: `node "${id}" (${type})`, reason })
}
