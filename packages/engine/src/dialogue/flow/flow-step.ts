import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import type { FlowPlace, HistoryMessage } from '../conversation.ts'
import type { EngineEnd } from '../respond.ts'
import type { Moment } from './decide-transition.ts'
import type { Arrival } from './flow-position.ts'

/** What a flow does next. */
export type FlowStep =
  /** `isBack`: the component that ran at the place is done, so that the place has nothing to do but to decide. */
  | { readonly type: 'go'; readonly place: FlowPlace; readonly arrival: Arrival; readonly isBack: boolean }
  /** Does what the node is there for. `before`: what it did in turns before this one. */
  | { readonly type: 'work'; readonly before: readonly HistoryMessage[]; readonly agreedArguments: string | null }
  /** `note`: what happened at the node and the conversation does not show. */
  | { readonly type: 'decide'; readonly moment: Moment; readonly note: string | null }
  /** The work of the node leads to an edge. */
  | {
      readonly type: 'led'
      readonly edge: FixedFlowEdge | undefined
      readonly why: string
      readonly note: string | null
    }
  /** The node's model speaks, then the node listens. */
  | { readonly type: 'speak'; readonly note: string | null }
  | { readonly type: 'done'; readonly end: EngineEnd }

/** The turn is complete and the node listens. */
export const COMPLETED: FlowStep = { type: 'done', end: { type: 'completed' } }

export const CANCELLED: FlowStep = { type: 'done', end: { type: 'over' } }

/** Does the work of a node that was just entered. */
export const WORK: FlowStep = { type: 'work', before: [], agreedArguments: null }
