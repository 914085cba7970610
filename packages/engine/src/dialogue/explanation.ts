import type { Passage, SearchMode } from '@parley/contract/knowledge-passage'
import type { ModelFailure } from '../ports.ts'

/** Which rule of the precedence a decision fell by. */
export type DecisionTier =
  | 'equation'
  | 'always'
  | 'skip-response'
  | 'prompt'
  | 'global'
  | 'go-back'
  | 'else'
  | 'only-edge'
  | 'result'
  | 'stay'

/** Why something was decided; stored with the turn and shown to the builder of the agent. */
export type Explanation =
  | { readonly type: 'model-retry'; readonly model: string; readonly failure: ModelFailure }
  | {
      readonly type: 'model-fallback'
      readonly from: string
      readonly to: string
      readonly failure: ModelFailure | null
    }
  | { readonly type: 'fallback-message'; readonly failure: ModelFailure | null }
  | { readonly type: 'history-trimmed'; readonly droppedTurns: number }
  | { readonly type: 'blank-answer'; readonly model: string }
  | { readonly type: 'tool-limit'; readonly steps: number }
  /** Where a flow went on, or that it stayed. */
  | {
      readonly type: 'flow-decision'
      readonly nodeId: string
      /** The nodes of type `component` around the node, outermost first. */
      readonly path: readonly string[]
      readonly tier: DecisionTier
      /** `null` where no edge was taken. */
      readonly edgeId: string | null
      /** `null`: it stayed. */
      readonly destinationNodeId: string | null
      readonly latencyMs: number
      /** Of the router's model; 0 when no model was asked. */
      readonly inputTokens: number
      readonly outputTokens: number
      /** Why, in words: the model's own, or the rule that held. */
      readonly rationale: string
    }
  /** A chain of nodes was stopped after as many costly transitions as the flow allows in a turn. */
  | { readonly type: 'hop-limit'; readonly nodeId: string; readonly path: readonly string[]; readonly hops: number }
  /** The conversation would have come to a node again although nothing had changed since. */
  | {
      readonly type: 'loop-stopped'
      readonly nodeId: string
      readonly path: readonly string[]
      readonly destinationNodeId: string
    }
  /** What an answer was given from, or that nothing fitted. */
  | {
      readonly type: 'knowledge-retrieved'
      readonly mode: SearchMode
      readonly latencyMs: number
      /** Best first. */
      readonly passages: readonly Passage[]
    }
  /** Something that the flow or agent names does not exist or does not work here. */
  | { readonly type: 'skipped'; readonly what: string; readonly reason: string }
  | { readonly type: 'agent-swap'; readonly fromEngine: string; readonly toAgentId: string; readonly ok: boolean }
