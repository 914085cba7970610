import type { Frame, LegRateHz } from '../audio/frame.ts'

/**
 * What a spoken conversation needs from the outside world: a transcriber, a synthesizer and the caller's media leg. Adapters
 * live at the server's edges; tests use the doubles of `testing/`. Nothing here throws or rejects: failures are events.
 */

/** A word with its time. Of speech that is made: from its beginning; of speech that was recognised: from its utterance's. */
export interface TimedWord {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
}

/** Why a provider of speech could not do its work. */
export interface SpeechFailure {
  readonly kind: 'rate-limited' | 'timeout' | 'unavailable' | 'rejected' | 'unauthorized' | 'protocol'
  /** A sentence for operators: no secret, nothing that was said, no address. */
  readonly message: string
  /** The same may succeed later or elsewhere. */
  readonly retryable: boolean
}

/** What a recogniser tells of the speech that it hears. Utterances come one after another and are told apart by their ids. */
export type TranscriberEvent =
  /** The whole utterance as it is understood so far. `stable`: its beginning will not be rewritten any more. */
  | { readonly type: 'interim'; readonly utteranceId: string; readonly text: string; readonly stable: boolean }
  | {
      readonly type: 'final'
      readonly utteranceId: string
      /** `''`: what sounded like speech was none. */
      readonly text: string
      /** The recogniser's own confidence, 0 to 1, that the speaker is done; `null` where it has no opinion. */
      readonly endOfTurn: number | null
      readonly words: readonly TimedWord[]
    }
  /** Nothing follows: the session is of no use any more. */
  | { readonly type: 'failed'; readonly failure: SpeechFailure }

export interface TranscriberOptions {
  readonly rateHz: LegRateHz
  /** A language tag such as `en-US`. */
  readonly language: string
  /** Words to expect. */
  readonly keywords: readonly string[]
  /** Never called while `open` or a method of the session runs. */
  readonly onEvent: (event: TranscriberEvent) => void
}

/** Ears for one caller, for as long as the call lasts. Methods return at once. */
export interface TranscriberSession {
  /** Every frame of the caller in its order, silence included. */
  push(frame: Frame): void
  /** Voice began some frames ago: a recogniser of whole recordings keeps what it needs of the time before. */
  voiceStarted(): void
  /** Silence since some frames: a recogniser of whole recordings transcribes now. */
  voiceEnded(): void
  /** Lets go of everything. No event comes afterwards. */
  close(): void
}

/** Turns speech into text. */
export interface Transcriber {
  /** `provider/model`, as told in calls, costs and logs. */
  readonly name: string
  /** How long a final text may take after the last voice, in 99 of 100 cases. */
  readonly finalP99Ms: number
  open(options: TranscriberOptions): TranscriberSession
}

/** How text is to be spoken. */
export interface SpeechRequest {
  /** Ready to be spoken: numbers, dates and addresses are words already. */
  readonly text: string
  /** As the provider knows the voice. */
  readonly voice: string
  /** `null`: the provider's own. */
  readonly model: string | null
  /** A language tag such as `en-US`. */
  readonly language: string
  readonly rateHz: LegRateHz
  /** 1 is the voice's own speed. */
  readonly speed: number
  /** 0 to 2; 1 is the provider's own. */
  readonly temperature: number
  readonly emotion: string | null
  /** Aborting ends the stream without a further event. */
  readonly signal: AbortSignal
}

/** What a voice streams: sound in order, and the last event is exactly one `end` or one `failed` (nothing after an abort). */
export type SpeechEvent =
  /** Any number of samples at the rate that was asked for. */
  | { readonly type: 'audio'; readonly samples: Int16Array }
  /** Words of the text that was asked for, in order, timed from the first sample; may come before or after their sound. */
  | { readonly type: 'words'; readonly words: readonly TimedWord[] }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly failure: SpeechFailure }

/** Turns text into speech. `synthesize` never throws. */
export interface Synthesizer {
  /** `provider/model`, as told in calls, costs and logs. */
  readonly name: string
  synthesize(request: SpeechRequest): AsyncIterable<SpeechEvent>
}

/** Tells of one frame whether it sounds like voice; keeps what it needs between frames. */
export interface VoiceClassifier {
  isVoice(frame: Frame): boolean
  close(): void
}

/** What the far end of a leg sends. Events of a capability come only from a far end that has it. */
export interface LegEvents {
  /** One frame in its order. `startSample` counts the caller's samples: where one is missing, audio was lost on the way. */
  frame(frame: Frame, startSample: number): void
  /** `playedSamples` of what was sent have been played when the far end had recorded `capturedSamples`. Of `reportsPlayed`. */
  played(playedSamples: number, capturedSamples: number): void
  /** A key of the phone: 0 to 9, `*`, `#`, A to D. */
  dtmf(digit: string): void
  /** What the far end recognized (see `TranscriberEvent`). Of `recognizesSpeech`, like `recognitionFailed`. */
  recognized(event: Exclude<TranscriberEvent, { type: 'failed' }>): void
  /** The far end turns out not to recognize speech, or does so no more. */
  recognitionFailed(): void
  /** What the caller typed instead of speaking. Of `acceptsText`. */
  typed(text: string): void
  /** The connection is interrupted; it may come back. */
  lost(): void
  restored(): void
  /** The caller is gone for good. */
  hungUp(): void
  /** The last event: the leg has ended, whichever side ended it. */
  closed(): void
}

/** What the far end of a leg can do. Whoever uses a leg asks for this and never for its kind. */
export interface LegCapabilities {
  /** The far end removes the agent's voice from what it records. */
  readonly cancelsEcho: boolean
  /** The far end recognizes speech itself. */
  readonly recognizesSpeech: boolean
  /** The far end reports what it has played; otherwise what was sent counts as played when its time has passed. */
  readonly reportsPlayed: boolean
  /** The caller can type. */
  readonly acceptsText: boolean
}

/** The media of one caller. Methods return at once; a leg that cannot keep up drops frames and counts them. */
export interface MediaLeg {
  /** A label for people: `web`, `loopback`, the name of a carrier. Nothing depends on it. */
  readonly kind: string
  readonly rateHz: LegRateHz
  /** How far ahead of real time frames may be sent, so that a hiccup of the network is not heard. */
  readonly leadMs: number
  /** So many frames are best sent together; 1 where each leaves at its own time. */
  readonly framesTogether: number
  readonly capabilities: LegCapabilities
  /** From now on events go there. A leg that has ended says so at once. */
  listen(events: LegEvents): void
  /** `startSample` counts all samples that were ever sent. */
  send(frame: Frame, startSample: number): void
  /** Drops what was sent and not played; a far end that reports what it played does so at once. */
  clear(): void
  /** Presses keys at the far end, in their order. Absent where a leg cannot. */
  sendDtmf?(digits: string): void
  /** Ends the leg once what was sent is played, at most `drainMs` later. */
  close(drainMs: number): void
}
