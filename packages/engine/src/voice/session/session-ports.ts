import type { CallEventEntry } from '@parley/contract/call-event'
import type {
  Conversation,
  DialogueDependencies,
  DialogueState,
  LoadedAgent,
  SwapSettings,
} from '../../dialogue/conversation.ts'
import type { JsonObject, Random } from '../../ports.ts'
import type { CallObserver } from '../call-observer.ts'
import type { MediaLeg, Synthesizer, Transcriber, VoiceClassifier } from '../ports.ts'
import type { EndReason, Opening } from '../turn-machine/events.ts'
import type { TurnSettings } from '../turn-machine/settings.ts'

/** A voice as an agent speaks with it. */
export interface AgentVoice {
  readonly synthesizer: Synthesizer
  /** As the provider knows it. */
  readonly voice: string
  readonly model: string | null
}

/** How an agent sounds and listens; another one after a hand-over, another speed at a node. */
export interface SpeakingSettings {
  /** The agent's own first, then those that stand in for it. Never empty. */
  readonly voices: readonly AgentVoice[]
  readonly language: string
  readonly speed: number
  readonly temperature: number
  readonly emotion: string | null
  /** 1 leaves it as it is. */
  readonly volume: number
  readonly ambientSound: string
  readonly ambientVolume: number
  readonly normalize: boolean
  readonly pronunciations: readonly { readonly word: string; readonly alphabet: string; readonly phoneme: string }[]
}

/** What an agent of the call brings along. */
export interface VoiceAgent {
  readonly agentId: string
  readonly agentName: string
  readonly turns: TurnSettings
  readonly speaking: SpeakingSettings
  readonly keywords: readonly string[]
}

/** The record of a call. Appending never waits and never fails: writing is its own affair. */
export interface CallJournal {
  /** `atMs`: when it happened, as `clock.now()` tells; now, when absent. */
  append(entry: CallEventEntry, atMs?: number): void
}

/** Where the sound of a call is kept. Methods return at once. */
export interface CallRecorder {
  /** The caller's frame that begins at this sample of the caller's clock. */
  caller(frame: Int16Array, startSample: number): void
  /** What was played of the agent, placed by the caller's clock. */
  agent(samples: Int16Array, startSample: number): void
}

export interface VoiceSessionOptions {
  readonly callId: string
  readonly leg: MediaLeg
  /** Whoever shows the call while it runs. */
  readonly observer: CallObserver | null
  /** In the order in which they are tried; none: the caller's end recognises speech or writes. */
  readonly transcribers: readonly Transcriber[]
  readonly classifier: VoiceClassifier
  readonly dialogue: DialogueDependencies
  /** Asked before every turn: variables and metadata may have been changed from outside. */
  readonly conversation: () => Omit<Conversation, 'state' | 'history'>
  readonly agent: VoiceAgent
  /** The agent of a hand-over, which says what comes afterwards; from then on `conversation` is about it. */
  readonly voiceAgent: (agent: LoadedAgent, settings: SwapSettings) => Promise<VoiceAgent>
  /** What a node of a flow changes. */
  readonly atNode: (agent: VoiceAgent, nodeId: string) => VoiceAgent
  readonly opening: Opening
  /** The memory that the call begins with: of a flow whose first words stand fixed, the place where it is after them. */
  readonly state: DialogueState | null
  readonly journal: CallJournal
  readonly recorder: CallRecorder | null
  readonly random: Random
  /** Told of what should never happen; it may have ended the call. */
  readonly onFault: (error: unknown) => void
  /** Told of each provider of speech that could not go on: a sentence for operators, without anything that was said. */
  readonly onVendorFailed?: (sentence: string) => void
}

/** How the call stands when it is over. */
export interface CallOutcome {
  readonly reason: EndReason
  readonly state: DialogueState | null
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** A live call: one inbox, one loop. */
export interface VoiceSession {
  /** The loop runs from here on, until `ended`. */
  start(): void
  /** Called by the wheel that paces all calls, every 5 ms: sends what is due. */
  pump(nowMs: number): void
  say(text: string, interruptible: boolean): void
  /** Tells the agent something; with `respond` it reacts at once, otherwise at the next turn. */
  inject(text: string, respond: boolean): void
  /** `drain`: what is being said is said to its end first. */
  end(reason: EndReason, drain: boolean): void
  /** Resolves once everything is let go: at most a second after the end. Never rejects. */
  readonly ended: Promise<CallOutcome>
  /** What tools are told of the call so far. */
  transcript(): readonly JsonObject[]
}
