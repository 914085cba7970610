import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import type { DialogueEvent, FlowPlace, HistoryMessage } from '../conversation.ts'
import type { EngineEnd } from '../respond.ts'
import type { Stand } from './flow-run.ts'

/** What came of being at a node. */
export type NodeEnd =
  /** It has spoken and listens, or goes on by itself. */
  | { readonly type: 'spoken' }
  /** Its silent work is done: its edges decide. `note`: what the conversation does not show of it. */
  | { readonly type: 'worked'; readonly note: string | null }
  /** Its work leads to this edge; the others decide when it goes nowhere. */
  | {
      readonly type: 'led'
      readonly edge: FixedFlowEdge | undefined
      readonly why: string
      readonly note: string | null
    }
  /** It has something to say before it can go on: a model does, told the note. */
  | { readonly type: 'speaks'; readonly note: string }
  /** It runs a component, which begins at this place. */
  | { readonly type: 'inside'; readonly place: FlowPlace }
  | { readonly type: 'engine-end'; readonly end: EngineEnd }

/** What a node starts from. */
export interface NodeStart {
  /** What it did in turns before this one. */
  readonly before: readonly HistoryMessage[]
  /** Arguments that the user has agreed to. */
  readonly agreedArguments: string | null
}

/** The turn was cancelled, or has failed, which was told. */
export const OVER: NodeEnd = { type: 'engine-end', end: { type: 'over' } }

/** The conversation ends. */
export const ENDED: NodeEnd = { type: 'engine-end', end: { type: 'ended' } }

/** Tells that a node could not do its work. */
export function skipped({ node: { id, type } }: Stand, reason: string): DialogueEvent {
  return { type: 'explanation', explanation: { type: 'skipped', what: `node "${id}" (${type})`, reason } }
}
