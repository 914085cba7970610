import { z } from 'zod'

/**
 * The live channel of a call in a browser: one WebSocket. Text frames carry the messages below as JSON; binary frames carry
 * sound: four bytes with the number of the first sample (unsigned, little endian, counted from the join, modulo 2^32), then
 * 16-bit little-endian samples of one channel at the rate that was agreed on. A browser sends 20 ms in each; the server sends as
 * many times 20 ms as it has.
 * Each side ignores messages of types and fields that it does not know.
 */

/** Grows when an older client could not go on. */
export const LIVE_PROTOCOL = 1
/** Path of the channel. The credential travels in the first message, never in an address. */
export const LIVE_PATH = '/api/v1/calls/live'

const SampleCount = z.int().min(0)
const Text = z.string().max(4_000)

/** What a browser says. The first message is `join`, `resume` or `listen`, within five seconds. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('join'),
    protocol: z.literal(LIVE_PROTOCOL),
    accessToken: z.string().min(1).max(1_000),
    rateHz: z.union([z.literal(8_000), z.literal(16_000)]),
    /** The browser recognises speech itself and sends `recognised`. */
    recognition: z.boolean(),
    echoCancellation: z.boolean(),
  }),
  /** The same call goes on after its connection broke. */
  z.object({
    type: z.literal('resume'),
    protocol: z.literal(LIVE_PROTOCOL),
    resumeToken: z.string().min(1).max(1_000),
    /** The last `seq` of a message that was received: those after it come again. */
    lastSeq: z.int().min(0),
  }),
  /** Hears both sides without being heard. */
  z.object({
    type: z.literal('listen'),
    protocol: z.literal(LIVE_PROTOCOL),
    accessToken: z.string().min(1).max(1_000),
  }),
  /** At least every 100 ms while anything plays, and at once after `clear`. */
  z.object({ type: z.literal('position'), playedSamples: SampleCount, capturedSamples: SampleCount }),
  z.object({
    type: z.literal('recognised'),
    utteranceId: z.string().min(1).max(64),
    text: Text,
    stage: z.enum(['interim', 'stable', 'final']),
  }),
  /** The browser cannot recognise speech after all, or no longer: what it hears means nothing until it recognises something. */
  z.object({ type: z.literal('recognition-failed') }),
  z.object({ type: z.literal('typed'), text: Text.min(1) }),
  z.object({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  z.object({ type: z.literal('muted'), muted: z.boolean() }),
  z.object({ type: z.literal('ping'), id: z.int() }),
  z.object({ type: z.literal('leave') }),
])
export type ClientMessage = z.infer<typeof ClientMessage>

/**
 * Whether a message counts as `received`: what the caller has said, and whether speech is understood at all. A client keeps such
 * messages, in their order, until they are told as received, and sends again after a `resume` exactly those that were not.
 * Whether it is as it must be does not matter. Counting another type needs another `LIVE_PROTOCOL`.
 */
export function countsAsReceived({ type, stage }: { readonly type: string; readonly stage?: unknown }): boolean {
  if (type === 'recognised') return stage === 'final'
  return type === 'typed' || type === 'dtmf' || type === 'recognition-failed'
}

/** What the agent does right now. */
type AgentActivity = 'idle' | 'thinking' | 'speaking' | 'paused' | 'tool' | 'on-hold'
/** What the caller does right now. */
type UserActivity = 'silent' | 'maybe-speaking' | 'speaking' | 'trailing'

/** Where the time of a turn went, from the last voiced sample of the caller to the first sound of the answer. */
export interface TurnLatency {
  readonly totalMs: number
  /** Silence that was waited for until the turn counted as over. */
  readonly endOfTurnMs: number
  /** From the last voice to the final text. */
  readonly recogniserMs: number | null
  readonly retrievalMs: number | null
  /** From the commit of the turn; negative where the model had begun before it. */
  readonly modelFirstTokenMs: number | null
  readonly firstClauseMs: number | null
  readonly synthesisFirstAudioMs: number | null
  readonly playoutMs: number | null
}

/** What the server says; `seq` counts the messages of a call that come again after a `resume`. */
export type ServerMessage =
  | {
      readonly type: 'joined'
      readonly protocol: number
      readonly callId: string
      readonly agentName: string
      /** Language tag of the agent's speech: what a browser's recogniser listens for. */
      readonly language: string
      readonly rateHz: 8_000 | 16_000
      /** Joins the same call again; valid while the call waits for its caller to come back. */
      readonly resumeToken: string
      /** Whose ears are used: the browser's own, or those of the server. */
      readonly recognition: 'browser' | 'server' | 'none'
      /** What stands in for providers that are not configured, one sentence each. */
      readonly standIns: readonly string[]
      readonly listening: boolean
      /** Milliseconds since the call began. */
      readonly elapsedMs: number
      /** So many messages that count (`countsAsReceived`) have come from the caller of this call, over whatever connections. */
      readonly received: number
    }
  | { readonly type: 'state'; readonly agent: AgentActivity; readonly user: UserActivity }
  /** What is said. `final` false: it may still change. `text` of the agent is what it says; once final, what was heard. */
  | {
      readonly type: 'caption'
      readonly seq: number
      readonly id: string
      readonly role: 'agent' | 'user'
      readonly text: string
      readonly final: boolean
      readonly interrupted: boolean
    }
  /** Another agent holds the conversation from here on; a browser's recogniser listens for its language. */
  | { readonly type: 'agent'; readonly seq: number; readonly agentName: string; readonly language: string }
  | {
      readonly type: 'node-transition'
      readonly seq: number
      readonly nodeId: string
      readonly nodeName: string
      /** Nodes of type `component` around the node, outermost first. */
      readonly path: readonly string[]
    }
  | { readonly type: 'tool'; readonly seq: number; readonly name: string; readonly phase: 'started' | 'ended' }
  | { readonly type: 'latency'; readonly seq: number; readonly turnId: string; readonly latency: TurnLatency }
  /** Everything that was sent and not played is to be dropped, with a fade of some milliseconds; answered with `position`. */
  | { readonly type: 'clear' }
  | { readonly type: 'warning'; readonly seq: number; readonly code: string; readonly message: string }
  /** `received` as in `joined`; 0 for who only listens. */
  | { readonly type: 'pong'; readonly id: number; readonly received: number }
  /** The call is over. Nothing follows. */
  | { readonly type: 'ended'; readonly reason: string }
  /** The channel was refused. Nothing follows. `retry`: the same may succeed in a moment, at another node for example. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string; readonly retry: boolean }
