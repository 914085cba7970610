import type { CallProblem } from './call-problem.ts'
import type { AgentActivity, TurnLatency, UserActivity } from './channel/live-protocol.ts'

/** What was said by one side. A later one with the same `id` replaces it. */
export interface CallTranscript {
  readonly id: string
  readonly role: 'agent' | 'user'
  /** Of the agent: what it says; once final, what was heard of it. */
  readonly text: string
  /** Nothing of it will change any more. */
  readonly final: boolean
  /** The caller broke in. */
  readonly interrupted: boolean
}

/** What happens in a call. */
export interface CallEvents {
  'call-started': { readonly callId: string; readonly agentName: string }
  'agent-speaking': Record<string, never>
  'agent-silent': Record<string, never>
  'user-speaking': Record<string, never>
  'user-silent': Record<string, never>
  /** What both sides do right now, in more words. */
  activity: { readonly agent: AgentActivity; readonly user: UserActivity }
  transcript: CallTranscript
  /** Another agent holds the conversation from here on. */
  agent: { readonly agentName: string }
  /** `path`: the nodes of type `component` around the node, outermost first. */
  'node-transition': { readonly nodeId: string; readonly nodeName: string; readonly path: readonly string[] }
  tool: { readonly name: string; readonly phase: 'started' | 'ended' }
  /** How long an answer took, in milliseconds. */
  latency: { readonly turnId: string; readonly latency: TurnLatency }
  /** How loud both sides are, 0 to 1; some sixteen times a second. */
  level: { readonly user: number; readonly agent: number }
  reconnecting: Record<string, never>
  reconnected: Record<string, never>
  /** Something is wrong and the call goes on. */
  warning: { readonly code: string; readonly message: string }
  /** Something is wrong and the call ends; `ended` follows. */
  error: CallProblem
  /** The last event. `reason`: why the call ended as its record says, or the code of the problem that ended it here. */
  ended: { readonly reason: string }
}
