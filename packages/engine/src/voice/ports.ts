import type { CallTurnLatency } from '@parley/contract/call-event'
import type { Frame, LegRateHz } from '../audio/frame.ts'
import type { ModelFailure } from '../ports.ts'

/**
 * Ports of a spoken conversation: transcriber, synthesizer and media leg. The server contains the adapters, and `testing/` the
 * test doubles. Ports never throw or reject, because failures are events.
 */

/** A word with times relative to the start of the synthesized text or the recognized utterance. */
export interface TimedWord {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
}

/** The reason why a speech vendor failed. The message contains no secrets, spoken text or addresses. */
export type SpeechFailure = Pick<ModelFailure, 'kind' | 'message' | 'retryable'>

/** Speech that a transcriber recognized. Utterances are sequential and identified by their IDs. */
export type TranscriberEvent =
  /** The utterance so far. With `stable`, its beginning no longer changes. */
  | { readonly type: 'interim'; readonly utteranceId: string; readonly text: string; readonly stable: boolean }
  | {
      readonly type: 'final'
      readonly utteranceId: string
      /** The recognized text, or `''` if no speech was found. */
      readonly text: string
      /** Confidence from 0 to 1 that the speaker has finished, or `null` if unsupported. */
      readonly endOfTurn: number | null
      readonly words: readonly TimedWord[]
    }
  /** The session has failed and emits no further events. */
  | { readonly type: 'failed'; readonly failure: SpeechFailure }

/** What a transcriber should expect, which can change when another agent takes over. */
export interface RecognitionHints {
  /** Language tag such as `en-US`. */
  readonly language: string
  /** Words that the caller is likely to say. */
  readonly keywords: readonly string[]
  /** Silence that ends an utterance, or null for the vendor's default. Vendors without such a setting ignore it. */
  readonly endpointingMs?: number | null
}

export interface TranscriberOptions extends RecognitionHints {
  readonly rateHz: LegRateHz
  /** Never called during `open` or a session's method. */
  readonly onEvent: (event: TranscriberEvent) => void
}

/** Transcribes one caller for the entire call. Methods return immediately. */
export interface TranscriberSession {
  /** Processes the caller's next frame. Frames arrive in order and include silence. */
  push(frame: Frame): void
  /** Reports that voice started a few frames ago. Batch transcribers keep some audio before its start. */
  voiceStarted(): void
  /** Reports that voice ended a few frames ago. Batch transcribers then start to transcribe. */
  voiceEnded(): void
  /** Applies other hints to the following audio. Absent if they require another session. */
  changeHints?(hints: RecognitionHints): void
  /** Releases all resources. No event follows. */
  close(): void
}

/** Converts speech to text. */
export interface Transcriber {
  /** Name in the form `vendor/model`, displayed in calls, costs and logs. */
  readonly name: string
  /** 99th percentile of the delay between the last voice and the final text. */
  readonly finalP99Ms: number
  /**
   * Maximum delay of the final text on a busy machine, for a transcriber that sends one after every voice. Without this delay,
   * turns wait for `finalP99Ms`.
   */
  readonly finalLimitMs?: number
  /** Whether the vendor ends every text with punctuation, even in the middle of a sentence. */
  readonly punctuatesFragments?: boolean
  open(options: TranscriberOptions): TranscriberSession
}

/** A request to synthesize text. */
export interface SpeechRequest {
  /** Normalized text, in which numbers, dates and addresses are words. */
  readonly text: string
  /** The vendor's voice ID. */
  readonly voice: string
  /** Model name, or `null` for the vendor's default. */
  readonly model: string | null
  /** Language tag such as `en-US`. */
  readonly language: string
  readonly rateHz: LegRateHz
  /** Speaking rate, where 1 is the voice's own speed. */
  readonly speed: number
  /** Temperature from 0 to 2, where 1 is the vendor's default. */
  readonly temperature: number
  readonly emotion: string | null
  /** Aborting ends the stream without another event. */
  readonly signal: AbortSignal
}

/** Streamed speech: audio in order, and exactly one `end` or `failed` at the end (nothing after an abort). */
export type SpeechEvent =
  /** Any number of samples at the requested rate. */
  | { readonly type: 'audio'; readonly samples: Int16Array }
  /** Words of the requested text in order, timed from the first sample, before or after their audio. */
  | { readonly type: 'words'; readonly words: readonly TimedWord[] }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly failure: SpeechFailure }

/** Converts text to speech. `synthesize` never throws. */
export interface Synthesizer {
  /** Name in the form `vendor/model`, displayed in calls, costs and logs. */
  readonly name: string
  synthesize(request: SpeechRequest): AsyncIterable<SpeechEvent>
  /** Opens a connection for later requests. Returns a function that releases it. Absent if connections are not reserved. */
  connect?(voice: Pick<SpeechRequest, 'voice' | 'model' | 'language' | 'rateHz'>): () => void
}

/** The probability that a window of the caller's audio contains speech. */
export interface SpeechProbability {
  /** The caller's sample at which the window ends. The window starts at the end of the previous one. */
  readonly endSample: number
  /** Probability from 0 to 1. */
  readonly probability: number
}

/**
 * Estimates speech probabilities of one caller's audio. Every sample gets a result, in order and within about 300 ms, during
 * `push` or later.
 */
export interface VoiceClassifier {
  /** Processes the next frame. `startSample` counts the caller's samples, and a gap means lost audio. */
  push(frame: Frame, startSample: number): void
  /** Releases all resources. No result follows. */
  close(): void
}

/** Opens a voice classifier for one caller. */
export type OpenVoiceClassifier = (onResult: (result: SpeechProbability) => void) => VoiceClassifier

/** Estimates from one caller's audio whether the caller has finished. */
export interface TurnDetector {
  /**
   * Returns the probability from 0 to 1 that the caller has finished, or `null` if there is no answer in time. `samples` are the
   * caller's current turn, at most its last 8 s, and belong to the detector. Never rejects. A new request replaces the last one.
   */
  estimate(samples: Int16Array): Promise<number | null>
  /** Releases all resources. Pending requests get `null`. */
  close(): void
}

/** Opens a turn detector for one caller. */
export type OpenTurnDetector = () => TurnDetector

/** Events from a leg's client. Only clients with a capability send its events. */
export interface LegEvents {
  /** Receives the next frame. `startSample` counts the caller's samples, and a gap means lost audio. */
  frame(frame: Frame, startSample: number): void
  /** Reports that `playedSamples` had been played when the client had recorded `capturedSamples`. Requires `reportsPlayed`. */
  played(playedSamples: number, capturedSamples: number): void
  /** Receives a DTMF key: 0 to 9, `*`, `#`, A to D. */
  dtmf(digit: string): void
  /** Receives speech that the client recognized. Requires `recognizesSpeech`, like `recognitionFailed`. */
  recognized(event: Exclude<TranscriberEvent, { type: 'failed' }>): void
  /** Reports that the client cannot recognize speech or has stopped doing so. */
  recognitionFailed(): void
  /** Receives text that the caller typed. Requires `acceptsText`. */
  typed(text: string): void
  /** Reports that the connection is interrupted and may come back. */
  lost(): void
  restored(): void
  /** Reports that the caller has hung up. */
  hungUp(): void
  /** Reports that the leg has ended, from either side. This is the last event. */
  closed(): void
}

/** Capabilities of a leg's client. Check these instead of the kind of leg. */
export interface LegCapabilities {
  /** Whether the client cancels the agent's echo. */
  readonly cancelsEcho: boolean
  /** Whether the client recognizes speech. */
  readonly recognizesSpeech: boolean
  /** Whether the client reports playback. Otherwise, audio counts as played when its time has passed. */
  readonly reportsPlayed: boolean
  /** Whether the caller can type. */
  readonly acceptsText: boolean
}

/** One caller's media connection. Methods return immediately. A leg that cannot keep up drops frames and counts them. */
export interface MediaLeg {
  /** A display label: `web`, `loopback` or a carrier name. */
  readonly kind: string
  readonly rateHz: LegRateHz
  /** Maximum lead over real time for sent frames, which hides network jitter. */
  readonly leadMs: number
  /** Preferred number of frames per send. 1 sends each frame separately. */
  readonly framesPerMessage: number
  readonly capabilities: LegCapabilities
  /** Sets the receiver of events. A leg that has ended reports its end immediately. */
  listen(events: LegEvents): void
  /** Sends a frame. `startSample` counts all samples ever sent. */
  send(frame: Frame, startSample: number): void
  /** Drops unplayed audio. A client that reports playback drops it immediately. */
  clear(): void
  /**
   * Lowers the audio that the client plays by `db` decibels, including unplayed audio, over `rampMs`. 0 restores it. Absent if
   * the client has no volume control; the frames to send are then attenuated instead.
   */
  attenuate?(db: number, rampMs: number): void
  /** Sends DTMF keys in order. Absent if unsupported. */
  sendDtmf?(digits: string): void
  /** Ends the leg once the sent audio has been played, at the latest after `drainMs`. */
  close(drainMs: number): void
}

/** Current activity of the agent. */
export type AgentActivity = 'idle' | 'thinking' | 'speaking' | 'paused' | 'tool' | 'on-hold'
/** Current activity of the caller. */
export type UserActivity = 'silent' | 'maybe-speaking' | 'speaking' | 'trailing'

/** Updates that a call displays while it runs. */
export type CallUpdate =
  | { readonly type: 'activity'; readonly agent: AgentActivity; readonly user: UserActivity }
  /**
   * A caption, which may change until it is `final`. The agent's text is its current speech and, once final, the part that the
   * caller heard.
   */
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
      /** `component` nodes around the node, outermost first. */
      readonly path: readonly string[]
    }
  | { readonly type: 'tool-start' | 'tool-end'; readonly name: string }
  /** The first audio of an answer was sent. */
  | { readonly type: 'turn-latency'; readonly turnId: string; readonly latency: CallTurnLatency }
  /** A message for the caller. */
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** The call has ended. Nothing follows. */
  | { readonly type: 'end'; readonly reason: string }

/** Displays a call while it runs, as on the caller's screen. Returns immediately and never throws. */
export interface CallObserver {
  notify(update: CallUpdate): void
}
