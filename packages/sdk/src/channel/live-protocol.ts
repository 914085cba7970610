/**
 * The live channel protocol from the client's perspective. A test compares it with the contract. Text frames contain JSON
 * messages, and binary frames contain audio. Unknown messages and fields are ignored.
 */

export const LIVE_PROTOCOL = 1
export const LIVE_PATH = '/api/v1/calls/live'

/** Samples per second on the wire. */
export type WireRateHz = 8_000 | 16_000

export type RecognitionStage = 'interim' | 'stable' | 'final'

/** Messages to the server. */
export type ClientMessage =
  | {
      readonly type: 'join'
      readonly protocol: 1
      readonly accessToken: string
      readonly rateHz: WireRateHz
      readonly recognition: boolean
      readonly echoCancellation: boolean
    }
  | { readonly type: 'resume'; readonly protocol: 1; readonly resumeToken: string; readonly lastSeq: number }
  | { readonly type: 'listen'; readonly protocol: 1; readonly accessToken: string }
  | { readonly type: 'position'; readonly playedSamples: number; readonly capturedSamples: number }
  | {
      readonly type: 'recognised'
      readonly utteranceId: string
      readonly text: string
      readonly stage: RecognitionStage
    }
  | { readonly type: 'recognition-failed' }
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'muted'; readonly muted: boolean }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'leave' }

/** Whether a message must not be lost. The server reports how many such messages it has received. */
export function requiresAcknowledgment(message: ClientMessage): boolean {
  if (message.type === 'recognised') return message.stage === 'final'
  return message.type === 'typed' || message.type === 'dtmf' || message.type === 'recognition-failed'
}

/** The agent's current activity. */
export type AgentActivity = 'idle' | 'thinking' | 'speaking' | 'paused' | 'tool' | 'on-hold'
/** The caller's current activity from the server's perspective. */
export type UserActivity = 'silent' | 'maybe-speaking' | 'speaking' | 'trailing'

/** Latency of an answer in milliseconds, from the end of the caller's speech to the agent's first audio. */
export interface TurnLatency {
  readonly totalMs: number
  readonly endOfTurnMs: number
  readonly recogniserMs: number | null
  readonly retrievalMs: number | null
  readonly modelFirstTokenMs: number | null
  readonly firstClauseMs: number | null
  readonly synthesisFirstAudioMs: number | null
  readonly playoutMs: number | null
}

/** Messages from the server. Messages with `seq` are repeated after a `resume`. */
export type ServerMessage =
  | {
      readonly type: 'joined'
      readonly protocol: number
      readonly callId: string
      readonly agentName: string
      /** Language tag of the agent's speech. */
      readonly language: string
      readonly rateHz: WireRateHz
      readonly resumeToken: string
      readonly recognition: 'browser' | 'server' | 'none'
      readonly standIns: readonly string[]
      readonly listening: boolean
      readonly elapsedMs: number
      /** Number of acknowledged messages in the call, over all connections. */
      readonly received: number
    }
  | { readonly type: 'state'; readonly agent: AgentActivity; readonly user: UserActivity }
  | {
      readonly type: 'caption'
      readonly seq: number
      readonly id: string
      readonly role: 'agent' | 'user'
      readonly text: string
      readonly final: boolean
      readonly interrupted: boolean
    }
  | { readonly type: 'agent'; readonly seq: number; readonly agentName: string; readonly language: string }
  | {
      readonly type: 'node-transition'
      readonly seq: number
      readonly nodeId: string
      readonly nodeName: string
      readonly path: readonly string[]
    }
  | { readonly type: 'tool'; readonly seq: number; readonly name: string; readonly phase: 'started' | 'ended' }
  | { readonly type: 'latency'; readonly seq: number; readonly turnId: string; readonly latency: TurnLatency }
  | { readonly type: 'clear' }
  | { readonly type: 'gain'; readonly db: number; readonly rampMs: number }
  | { readonly type: 'warning'; readonly seq: number; readonly code: string; readonly message: string }
  | { readonly type: 'pong'; readonly id: number; readonly received: number }
  | { readonly type: 'ended'; readonly reason: string }
  | { readonly type: 'refused'; readonly code: string; readonly message: string; readonly retry: boolean }

export type JoinedMessage = Extract<ServerMessage, { type: 'joined' }>
export type RefusedMessage = Extract<ServerMessage, { type: 'refused' }>

const KNOWN_TYPES = {
  joined: true,
  state: true,
  caption: true,
  agent: true,
  'node-transition': true,
  tool: true,
  latency: true,
  clear: true,
  gain: true,
  warning: true,
  pong: true,
  ended: true,
  refused: true,
} satisfies Record<ServerMessage['type'], true>

/** Parses a text frame, or returns `null` for unknown messages. */
export function readServerMessage(text: string): ServerMessage | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return null
  return typeof value.type === 'string' && Object.hasOwn(KNOWN_TYPES, value.type) ? (value as ServerMessage) : null
}
