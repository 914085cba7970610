import type { CallTurnLatency } from '@parley/contract/call-event'

/** Current activity of the agent. */
export type AgentActivity = 'idle' | 'thinking' | 'speaking' | 'paused' | 'tool' | 'on-hold'
/** Current activity of the caller. */
export type UserActivity = 'silent' | 'maybe-speaking' | 'speaking' | 'trailing'

/** What a call shows while it runs. */
export type CallUpdate =
  | { readonly type: 'activity'; readonly agent: AgentActivity; readonly user: UserActivity }
  /** A caption may change until it is `final`. The agent's text is what it says, and once final what the caller heard. */
  | {
      readonly type: 'caption'
      readonly id: string
      readonly role: 'agent' | 'user'
      readonly text: string
      readonly final: boolean
      readonly interrupted: boolean
    }
  /** Another agent takes over the conversation and speaks this language. */
  | { readonly type: 'agent-change'; readonly agentName: string; readonly language: string }
  | {
      readonly type: 'node-transition'
      readonly nodeId: string
      readonly nodeName: string
      /** Nodes of type `component` around the node, outermost first. */
      readonly path: readonly string[]
    }
  | { readonly type: 'tool-start' | 'tool-end'; readonly name: string }
  /** The first audio of an answer was sent. */
  | { readonly type: 'turn-latency'; readonly turnId: string; readonly latency: CallTurnLatency }
  /** A message for the caller. */
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** The call has ended. Nothing follows. */
  | { readonly type: 'end'; readonly reason: string }

/** Shows a call while it runs, as on the caller's screen. Returns at once and never throws. */
export interface CallObserver {
  notify(update: CallUpdate): void
}
