import type { CallTurnLatency } from '@parley/contract/call-event'
import type { Frame, LegRateHz } from '../audio/frame.ts'
import type { ModelFailure } from '../ports.ts'

/**
 * Ports of a spoken conversation: transcriber, synthesizer and media leg. Adapters live in the server, test doubles in
 * `testing/`. Nothing here throws or rejects: failures are events.
 */

/** A word with its time, relative to the start of the synthesized text or of the recognized utterance. */
export interface TimedWord {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
}

/** Why a speech vendor failed. The message contains no secrets, spoken text or addresses. */
export type SpeechFailure = Pick<ModelFailure, 'kind' | 'message' | 'retryable'>

/** Speech recognized by a transcriber. Utterances are sequential and identified by their ids. */
export type TranscriberEvent =
  /** The utterance so far. With `stable`, its beginning no longer changes. */
  | { readonly type: 'interim'; readonly utteranceId: string; readonly text: string; readonly stable: boolean }
  | {
      readonly type: 'final'
      readonly utteranceId: string
      /** `''` means that no speech was found. */
      readonly text: string
      /** Confidence from 0 to 1 that the speaker is done; `null` if unsupported. */
      readonly endOfTurn: number | null
      readonly words: readonly TimedWord[]
    }
  /** The session has failed and emits nothing more. */
  | { readonly type: 'failed'; readonly failure: SpeechFailure }

export interface TranscriberOptions {
  readonly rateHz: LegRateHz
  /** Language tag such as `en-US`. */
  readonly language: string
  /** Expected words. */
  readonly keywords: readonly string[]
  /** Never called while `open` or a method of the session runs. */
  readonly onEvent: (event: TranscriberEvent) => void
}

/** Transcribes one caller for the whole call. Methods return at once. */
export interface TranscriberSession {
  /** Every frame of the caller in order, silence included. */
  push(frame: Frame): void
  /** Voice started some frames ago; batch transcribers keep the audio before it. */
  voiceStarted(): void
  /** Silence for some frames; batch transcribers start to transcribe. */
  voiceEnded(): void
  /** Releases everything. No event follows. */
  close(): void
}

/** Turns speech into text. */
export interface Transcriber {
  /** `vendor/model`, as shown in calls, costs and logs. */
  readonly name: string
  /** 99th percentile of the delay between the last voice and the final text. */
  readonly finalP99Ms: number
  open(options: TranscriberOptions): TranscriberSession
}

/** A request to synthesize text. */
export interface SpeechRequest {
  /** Normalized text: numbers, dates and addresses are words. */
  readonly text: string
  /** The vendor's voice id. */
  readonly voice: string
  /** `null` for the vendor's default. */
  readonly model: string | null
  /** Language tag such as `en-US`. */
  readonly language: string
  readonly rateHz: LegRateHz
  /** 1 is the voice's own speed. */
  readonly speed: number
  /** 0 to 2; 1 is the vendor's default. */
  readonly temperature: number
  readonly emotion: string | null
  /** Aborting ends the stream without a further event. */
  readonly signal: AbortSignal
}

/** Streamed speech: audio in order, then exactly one `end` or `failed` (nothing after an abort). */
export type SpeechEvent =
  /** Any number of samples at the requested rate. */
  | { readonly type: 'audio'; readonly samples: Int16Array }
  /** Words of the requested text in order, timed from the first sample, before or after their audio. */
  | { readonly type: 'words'; readonly words: readonly TimedWord[] }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly failure: SpeechFailure }

/** Turns text into speech. `synthesize` never throws. */
export interface Synthesizer {
  /** `vendor/model`, as shown in calls, costs and logs. */
  readonly name: string
  synthesize(request: SpeechRequest): AsyncIterable<SpeechEvent>
}

/** Classifies frames as voice and keeps state between them. */
export interface VoiceClassifier {
  isVoice(frame: Frame): boolean
  close(): void
}

/** Events from the client of a leg. Events of a capability only come from clients that have it. */
export interface LegEvents {
  /** The next frame. `startSample` counts the caller's samples: a gap means lost audio. */
  frame(frame: Frame, startSample: number): void
  /** `playedSamples` had been played when the client had recorded `capturedSamples`. Requires `reportsPlayed`. */
  played(playedSamples: number, capturedSamples: number): void
  /** A DTMF key: 0 to 9, `*`, `#`, A to D. */
  dtmf(digit: string): void
  /** Speech recognized by the client. Requires `recognizesSpeech`, like `recognitionFailed`. */
  recognized(event: Exclude<TranscriberEvent, { type: 'failed' }>): void
  /** The client cannot recognize speech, or no longer. */
  recognitionFailed(): void
  /** Text that the caller typed. Requires `acceptsText`. */
  typed(text: string): void
  /** The connection is interrupted and may come back. */
  lost(): void
  restored(): void
  /** The caller has hung up. */
  hungUp(): void
  /** The last event: the leg has ended, from either side. */
  closed(): void
}

/** What the client of a leg can do. Check this instead of the kind of leg. */
export interface LegCapabilities {
  /** The client cancels the agent's echo. */
  readonly cancelsEcho: boolean
  /** The client recognizes speech. */
  readonly recognizesSpeech: boolean
  /** The client reports playback; otherwise audio counts as played when its time has passed. */
  readonly reportsPlayed: boolean
  /** The caller can type. */
  readonly acceptsText: boolean
}

/** The media connection of one caller. Methods return at once; a leg that cannot keep up drops frames and counts them. */
export interface MediaLeg {
  /** A display label: `web`, `loopback` or a carrier name. */
  readonly kind: string
  readonly rateHz: LegRateHz
  /** How far ahead of real time frames may be sent, to hide network jitter. */
  readonly leadMs: number
  /** Preferred frames per send; 1 to send each on its own. */
  readonly framesTogether: number
  readonly capabilities: LegCapabilities
  /** Sets the receiver of events. A leg that has ended reports so at once. */
  listen(events: LegEvents): void
  /** `startSample` counts all samples ever sent. */
  send(frame: Frame, startSample: number): void
  /** Drops unplayed audio; a client that reports playback does so at once. */
  clear(): void
  /** Sends DTMF keys in order. Absent if unsupported. */
  sendDtmf?(digits: string): void
  /** Ends the leg after sent audio was played, at most `drainMs` later. */
  close(drainMs: number): void
}

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
