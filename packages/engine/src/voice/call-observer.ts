import type { CallTurnLatency } from '@parley/contract/call-event'

/** What the agent does right now. */
export type AgentActivity = 'idle' | 'thinking' | 'speaking' | 'paused' | 'tool' | 'on-hold'
/** What the caller does right now. */
export type UserActivity = 'silent' | 'maybe-speaking' | 'speaking' | 'trailing'

/** What a call shows while it runs. */
export type CallUpdate =
  | { readonly type: 'activity'; readonly agent: AgentActivity; readonly user: UserActivity }
  /** What is said. `final` false: it may still change. `text` of the agent is what it says; once final, what was heard. */
  | {
      readonly type: 'caption'
      readonly id: string
      readonly role: 'agent' | 'user'
      readonly text: string
      readonly final: boolean
      readonly interrupted: boolean
    }
  /** Another agent holds the conversation from here on and speaks this language. */
  | { readonly type: 'agent-change'; readonly agentName: string; readonly language: string }
  | {
      readonly type: 'node-transition'
      readonly nodeId: string
      readonly nodeName: string
      /** Nodes of type `component` around the node, outermost first. */
      readonly path: readonly string[]
    }
  | { readonly type: 'tool-start' | 'tool-end'; readonly name: string }
  /** The first audio of an answer has left. */
  | { readonly type: 'turn-latency'; readonly turnId: string; readonly latency: CallTurnLatency }
  /** Something that the caller should know. */
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** The call is over. Nothing follows. */
  | { readonly type: 'end'; readonly reason: string }

/** Whoever shows a call while it runs: a far end with a screen, listeners. Returns at once and never throws. */
export interface CallObserver {
  notify(update: CallUpdate): void
}
