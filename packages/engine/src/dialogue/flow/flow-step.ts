import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import type { DialogueEvent, FlowPlace, HistoryMessage } from '../conversation.ts'
import type { EngineEnd } from '../turn.ts'
import type { DecisionTrigger } from './decide-transition.ts'
import type { Arrival } from './flow-position.ts'
import type { NodeContext } from './flow-run.ts'

/** What a flow does next. */
export type FlowStep =
  /** `isBack`: the component that ran at the place is done, so that the place has nothing to do but to decide. */
  | { readonly type: 'go'; readonly place: FlowPlace; readonly arrival: Arrival; readonly isReturning: boolean }
  /** Does what the node is there for. */
  | ({ readonly type: 'work' } & NodeStart)
  /** `note`: what happened at the node and the conversation does not show. */
  | { readonly type: 'decide'; readonly trigger: DecisionTrigger; readonly note: string | null }
  | EdgeStep
  /** The node's model speaks, then the node listens. */
  | { readonly type: 'speak'; readonly note: string | null }
  | { readonly type: 'done'; readonly end: EngineEnd }

/** The work of a node leads to an edge; the others decide when it goes nowhere. */
interface EdgeStep {
  readonly type: 'led'
  readonly edge: FixedFlowEdge | undefined
  readonly why: string
  readonly note: string | null
}

/** What a node starts from. */
export interface NodeStart {
  /** What it did in turns before this one. */
  readonly before: readonly HistoryMessage[]
  /** Arguments that the user has agreed to. */
  readonly approvedArguments: string | null
}

/** What came of being at a node. */
export type NodeEnd =
  /** It has spoken and listens, or goes on without an answer. */
  | { readonly type: 'spoken' }
  /** Its silent work is done: its edges decide. `note`: what the conversation does not show of it. */
  | { readonly type: 'worked'; readonly note: string | null }
  | EdgeStep
  /** It has something to say before it can go on: a model does, given the note. */
  | { readonly type: 'speaks'; readonly note: string }
  /** It runs a component, which begins at this place. */
  | { readonly type: 'inside'; readonly place: FlowPlace }
  | { readonly type: 'engine-end'; readonly end: EngineEnd }

/** The turn is complete and the node listens. */
export const COMPLETED: FlowStep = { type: 'done', end: { type: 'completed' } }

export const CANCELLED: FlowStep = { type: 'done', end: { type: 'over' } }

/** Does the work of a node that was just entered. */
export const WORK: FlowStep = { type: 'work', before: [], approvedArguments: null }

/** The turn was cancelled, or has failed, which an event has reported. */
export const STOPPED: NodeEnd = { type: 'engine-end', end: { type: 'over' } }

/** The conversation ends. */
export const ENDED: NodeEnd = { type: 'engine-end', end: { type: 'ended' } }

/** Reports that a node could not do its work. */
export function skipped({ node: { id, type } }: NodeContext, reason: string): DialogueEvent {
  return { type: 'explanation', explanation: { type: 'skipped', what: `node "${id}" (${type})`, reason } }
}
