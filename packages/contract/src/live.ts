import { z } from 'zod'

/**
 * Protocol of the live channel, a WebSocket between a browser and a call. Text frames contain the messages below as JSON.
 * Binary frames contain audio: the number of the first sample in four bytes (unsigned, little-endian, counted from the join,
 * modulo 2^32), followed by 16-bit little-endian mono samples at the agreed rate. A browser sends 20 ms per frame; a server can
 * send any multiple of 20 ms. Both sides ignore unknown message types and fields.
 */

/** Protocol version, incremented for changes that break older clients. */
export const LIVE_PROTOCOL = 1
/** Path of the live channel. Credentials are sent in the first message, never in a URL. */
export const LIVE_PATH = '/api/v1/calls/live'

const SampleCount = z.int().min(0)
const Text = z.string().max(4_000)

/** Messages from a browser. The first message must be `join`, `resume` or `listen` and arrive within five seconds. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('join'),
    protocol: z.literal(LIVE_PROTOCOL),
    accessToken: z.string().min(1).max(1_000),
    rateHz: z.union([z.literal(8_000), z.literal(16_000)]),
    /** Whether the browser recognizes speech and sends `recognised`. */
    recognition: z.boolean(),
    echoCancellation: z.boolean(),
  }),
  /** Resumes a call after the connection was lost. */
  z.object({
    type: z.literal('resume'),
    protocol: z.literal(LIVE_PROTOCOL),
    resumeToken: z.string().min(1).max(1_000),
    /** Last received `seq`. The server resends all later messages. */
    lastSeq: z.int().min(0),
  }),
  /** Listens to both sides without being heard. */
  z.object({
    type: z.literal('listen'),
    protocol: z.literal(LIVE_PROTOCOL),
    accessToken: z.string().min(1).max(1_000),
  }),
  /** Sent at least every 100 ms during playback, once when playback ends, and immediately after `clear`. */
  z.object({ type: z.literal('position'), playedSamples: SampleCount, capturedSamples: SampleCount }),
  z.object({
    type: z.literal('recognised'),
    utteranceId: z.string().min(1).max(64),
    text: Text,
    stage: z.enum(['interim', 'stable', 'final']),
  }),
  /** The browser cannot recognize speech. The server ignores its audio until the browser sends `recognised` again. */
  z.object({ type: z.literal('recognition-failed') }),
  z.object({ type: z.literal('typed'), text: Text.min(1) }),
  z.object({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  z.object({ type: z.literal('muted'), muted: z.boolean() }),
  z.object({ type: z.literal('ping'), id: z.int() }),
  z.object({ type: z.literal('leave') }),
])
export type ClientMessage = z.infer<typeof ClientMessage>

/**
 * Whether a message counts toward `received`. Clients keep these messages until the server confirms them, and resend only
 * unconfirmed messages after a `resume`. Malformed messages also count. Counting other types requires a new `LIVE_PROTOCOL`.
 */
export function countsAsReceived({ type, stage }: { readonly type: string; readonly stage?: unknown }): boolean {
  if (type === 'recognised') return stage === 'final'
  return type === 'typed' || type === 'dtmf' || type === 'recognition-failed'
}

/** The agent's current activity. */
type AgentActivity = 'idle' | 'thinking' | 'speaking' | 'paused' | 'tool' | 'on-hold'
/** The caller's current activity. */
type UserActivity = 'silent' | 'maybe-speaking' | 'speaking' | 'trailing'

/** Latency of an answer by part, from the caller's last voiced sample to the first audio of the answer. */
export interface TurnLatency {
  readonly totalMs: number
  /** Silence until the end of the turn. */
  readonly endOfTurnMs: number
  /** Time from the last voiced sample to the final text. */
  readonly recogniserMs: number | null
  readonly retrievalMs: number | null
  /** Time from the commit of the turn; negative if the model started before the commit. */
  readonly modelFirstTokenMs: number | null
  readonly firstClauseMs: number | null
  readonly synthesisFirstAudioMs: number | null
  readonly playoutMs: number | null
}

/** Messages from the server. Messages with `seq` are resent after a `resume`. */
export type ServerMessage =
  | {
      readonly type: 'joined'
      readonly protocol: number
      readonly callId: string
      readonly agentName: string
      /** Language tag of the agent's speech, for the speech recognition of the browser. */
      readonly language: string
      readonly rateHz: 8_000 | 16_000
      /** Token for resuming the call, valid while the call waits for its caller to reconnect. */
      readonly resumeToken: string
      /** Side that recognizes speech: the browser or the server. */
      readonly recognition: 'browser' | 'server' | 'none'
      /** One sentence for each fallback that replaces an unconfigured provider. */
      readonly standIns: readonly string[]
      readonly listening: boolean
      /** Milliseconds since the start of the call. */
      readonly elapsedMs: number
      /** Number of messages received from the caller over all connections (see `countsAsReceived`). */
      readonly received: number
    }
  | { readonly type: 'state'; readonly agent: AgentActivity; readonly user: UserActivity }
  /** Spoken text, which can change until `final` is true. The agent's final text is what the caller heard. */
  | {
      readonly type: 'caption'
      readonly seq: number
      readonly id: string
      readonly role: 'agent' | 'user'
      readonly text: string
      readonly final: boolean
      readonly interrupted: boolean
    }
  /** Another agent takes over. The browser switches its speech recognition to the new agent's language. */
  | { readonly type: 'agent'; readonly seq: number; readonly agentName: string; readonly language: string }
  | {
      readonly type: 'node-transition'
      readonly seq: number
      readonly nodeId: string
      readonly nodeName: string
      /** IDs of the enclosing component nodes, outermost first. */
      readonly path: readonly string[]
    }
  | { readonly type: 'tool'; readonly seq: number; readonly name: string; readonly phase: 'started' | 'ended' }
  | { readonly type: 'latency'; readonly seq: number; readonly turnId: string; readonly latency: TurnLatency }
  /** Requests that the browser drop all unplayed audio with a short fade-out and respond with `position`. */
  | { readonly type: 'clear' }
  /**
   * Requests that the browser play the agent, including buffered audio, with a gain of `db` decibels, 0 or negative, and reach
   * it within `rampMs`.
   */
  | { readonly type: 'gain'; readonly db: number; readonly rampMs: number }
  | { readonly type: 'warning'; readonly seq: number; readonly code: string; readonly message: string }
  /** `received` has the same meaning as in `joined`; 0 for listeners. */
  | { readonly type: 'pong'; readonly id: number; readonly received: number }
  /** The call has ended. No message follows. */
  | { readonly type: 'ended'; readonly reason: string }
  /**
   * The server rejected the channel. No message follows. If `retry` is true, another attempt can succeed, for example on
   * another node.
   */
  | { readonly type: 'refused'; readonly code: string; readonly message: string; readonly retry: boolean }
