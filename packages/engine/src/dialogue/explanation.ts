import type { Passage, SearchMode } from '@parley/contract/knowledge-passage'
import type { ModelFailure } from '../ports.ts'

/** The precedence rule behind a decision. */
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

/** An event that explains a decision to the driver. */
export interface ExplanationEvent {
  readonly type: 'explanation'
  readonly explanation: Explanation
}

export function explain(explanation: Explanation): ExplanationEvent {
  return { type: 'explanation', explanation }
}

/** The reason for a decision, stored with the turn and displayed to the agent's builder. */
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
  /** The decision to continue at another node or to stay. */
  | {
      readonly type: 'flow-decision'
      readonly nodeId: string
      /** Enclosing `component` nodes, outermost first. */
      readonly path: readonly string[]
      readonly tier: DecisionTier
      /** The selected edge, or `null` if no edge was taken. */
      readonly edgeId: string | null
      /** The next node, or `null` if the flow stayed. */
      readonly destinationNodeId: string | null
      readonly latencyMs: number
      /** Tokens that the router used, or 0 if no model was called. */
      readonly inputTokens: number
      readonly outputTokens: number
      /** The model's own words or a description of the rule. */
      readonly rationale: string
    }
  /** The turn reached the flow's limit for transitions that require a model or tool call. */
  | { readonly type: 'hop-limit'; readonly nodeId: string; readonly path: readonly string[]; readonly hops: number }
  /** The flow would have entered a node again without any change since the last entry. */
  | {
      readonly type: 'loop-stopped'
      readonly nodeId: string
      readonly path: readonly string[]
      readonly destinationNodeId: string
    }
  /** Passages for an answer. Empty if nothing was relevant. */
  | {
      readonly type: 'knowledge-retrieved'
      readonly mode: SearchMode
      readonly latencyMs: number
      /** Best first. */
      readonly passages: readonly Passage[]
    }
  /** Something that the flow or agent references does not exist or does not work in this channel. */
  | { readonly type: 'skipped'; readonly what: string; readonly reason: string }
  | { readonly type: 'agent-swap'; readonly fromEngine: string; readonly toAgentId: string; readonly ok: boolean }
