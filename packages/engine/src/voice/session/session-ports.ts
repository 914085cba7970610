import type { CallEventEntry } from '@parley/contract/call-event'
import type {
  Conversation,
  DialogueDependencies,
  DialogueState,
  LoadedAgent,
  SwapSettings,
} from '../../dialogue/conversation.ts'
import type { JsonObject, Random } from '../../ports.ts'
import type { CallObserver, MediaLeg, Synthesizer, Transcriber, VoiceClassifier } from '../ports.ts'
import type { EndReason, Opening } from '../turn-machine/events.ts'
import type { TurnSettings } from '../turn-machine/settings.ts'

/** A voice with the settings of an agent. */
export interface AgentVoice {
  readonly synthesizer: Synthesizer
  /** The vendor's voice id. */
  readonly voice: string
  readonly model: string | null
}

/** How an agent speaks; changes with handovers and flow nodes. */
export interface SpeakingSettings {
  /** The agent's voice and its fallbacks. Never empty. */
  readonly voices: readonly AgentVoice[]
  readonly language: string
  readonly speed: number
  readonly temperature: number
  readonly emotion: string | null
  /** 1 leaves the loudness unchanged. */
  readonly volume: number
  readonly ambientSound: string
  readonly ambientVolume: number
  readonly normalize: boolean
  readonly pronunciations: readonly { readonly word: string; readonly alphabet: string; readonly phoneme: string }[]
}

/** Call settings of an agent. */
export interface VoiceAgent {
  readonly agentId: string
  readonly agentName: string
  readonly turns: TurnSettings
  readonly speaking: SpeakingSettings
  readonly keywords: readonly string[]
}

/** The event log of a call. Appending never waits and never fails. */
export interface CallJournal {
  /** `atMs` is in clock time and defaults to now. */
  append(entry: CallEventEntry, atMs?: number): void
}

/** Records the audio of a call. Methods return at once. */
export interface CallRecorder {
  /** Copies the caller frame that starts at this sample of the caller clock. */
  caller(frame: Int16Array, startSample: number): void
  /** Agent audio, positioned by the caller clock. */
  agent(samples: Int16Array, startSample: number): void
}

export interface VoiceSessionOptions {
  readonly callId: string
  readonly leg: MediaLeg
  /** Shows the call while it runs. */
  readonly observer: CallObserver | null
  /** In fallback order; if empty, the client recognizes speech or the caller types. */
  readonly transcribers: readonly Transcriber[]
  readonly classifier: VoiceClassifier
  readonly dialogue: DialogueDependencies
  /** Called before every turn, since variables and metadata may change. */
  readonly conversation: () => Omit<Conversation, 'state' | 'history'>
  readonly agent: VoiceAgent
  /** Loads the voice settings for a handover; `conversation` then describes the new agent. */
  readonly voiceAgent: (agent: LoadedAgent, settings: SwapSettings) => Promise<VoiceAgent>
  /** Applies the overrides of a flow node. */
  readonly atNode: (agent: VoiceAgent, nodeId: string) => VoiceAgent
  readonly opening: Opening
  /** Initial state; for a flow with a static opening, the position after it. */
  readonly state: DialogueState | null
  readonly journal: CallJournal
  readonly recorder: CallRecorder | null
  readonly random: Random
  /** Reports errors that should never happen and may have ended the call. */
  readonly onFault: (error: unknown) => void
  /** Reports a failed speech vendor in a sentence without spoken text. */
  readonly onVendorFailed?: (sentence: string) => void
}

/** Result of a finished call. */
export interface CallOutcome {
  readonly reason: EndReason
  readonly state: DialogueState | null
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** A live call. */
export interface VoiceSession {
  /** Starts the event loop. */
  start(): void
  /** Sends due audio; called every 5 ms by the pacer of all calls. */
  pump(nowMs: number): void
  say(text: string, interruptible: boolean): void
  /** Gives the agent information; with `respond` it reacts at once, otherwise at the next turn. */
  inject(text: string, respond: boolean): void
  /** With `drain`, current speech is finished first. */
  end(reason: EndReason, drain: boolean): void
  /** Resolves at most a second after the end. Never rejects. */
  readonly ended: Promise<CallOutcome>
  /** The transcript as passed to tools. */
  transcript(): readonly JsonObject[]
}
