import type { CallEventEntry } from '@parley/contract/call-event'
import type {
  Conversation,
  DialogueDependencies,
  DialogueState,
  LoadedAgent,
  SwapSettings,
} from '../../dialogue/conversation.ts'
import type { JsonObject, Random } from '../../ports.ts'
import type {
  CallObserver,
  MediaLeg,
  OpenTurnDetector,
  OpenVoiceClassifier,
  Synthesizer,
  Transcriber,
} from '../ports.ts'
import type { EndReason, Opening } from '../turn-machine/events.ts'
import type { TurnSettings } from '../turn-machine/settings.ts'

/** A voice with an agent's settings. */
export interface AgentVoice {
  readonly synthesizer: Synthesizer
  /** The vendor's voice ID. */
  readonly voice: string
  readonly model: string | null
}

/** An agent's speaking settings, which change with handovers and flow nodes. */
export interface SpeakingSettings {
  /** The agent's voice followed by its fallbacks. Never empty. */
  readonly voices: readonly AgentVoice[]
  readonly language: string
  readonly speed: number
  readonly temperature: number
  readonly emotion: string | null
  /** Volume factor. 1 leaves the loudness unchanged. */
  readonly volume: number
  readonly ambientSound: string
  readonly ambientVolume: number
  readonly normalize: boolean
  readonly pronunciations: readonly { readonly word: string; readonly alphabet: string; readonly phoneme: string }[]
}

/** An agent's call settings. */
export interface VoiceAgent {
  readonly agentId: string
  readonly agentName: string
  readonly turns: TurnSettings
  readonly speaking: SpeakingSettings
  readonly keywords: readonly string[]
  /** Silence that ends an utterance, or null or absent for the transcriber's default. */
  readonly endpointingMs?: number | null
  /** The agent's transcribers in fallback order, which take over from the call's. If empty or absent, those continue. */
  readonly transcribers?: readonly Transcriber[]
}

/** A call's event log. Appending never waits and never fails. */
export interface CallJournal {
  /** Appends an entry. `atMs` is in clock time and defaults to the current time. */
  append(entry: CallEventEntry, atMs?: number): void
}

/** Records a call's audio. Methods return immediately. */
export interface CallRecorder {
  /** Copies the caller frame that starts at this sample of the caller clock. */
  recordCaller(frame: Int16Array, startSample: number): void
  /** Records agent audio, positioned by the caller clock. */
  recordAgent(samples: Int16Array, startSample: number): void
}

export interface VoiceSessionOptions {
  readonly callId: string
  readonly leg: MediaLeg
  /** Displays the call while it is running. */
  readonly observer: CallObserver | null
  /** Transcribers in fallback order. If empty, the client recognizes speech or the caller types. */
  readonly transcribers: readonly Transcriber[]
  /** Opens the classifier of the caller's audio. The session closes it. */
  readonly openClassifier: OpenVoiceClassifier
  /** Opens the turn detector of the caller's audio. The session closes it. Absent if only words decide. */
  readonly openTurnDetector?: OpenTurnDetector | undefined
  readonly dialogue: DialogueDependencies
  /** Called before every turn, because variables and metadata may change. */
  readonly buildConversation: () => Omit<Conversation, 'state' | 'history'>
  readonly agent: VoiceAgent
  /** Loads the new agent's voice settings during a handover. Afterwards, `conversation` describes the new agent. */
  readonly loadVoiceAgent: (agent: LoadedAgent, settings: SwapSettings) => Promise<VoiceAgent>
  /** Applies a flow node's overrides. */
  readonly applyNode: (agent: VoiceAgent, nodeId: string) => VoiceAgent
  readonly opening: Opening
  /** Initial state. For a flow with a static opening, the position after the opening. */
  readonly state: DialogueState | null
  readonly journal: CallJournal
  readonly recorder: CallRecorder | null
  readonly random: Random
  /** Reports internal errors, which may have ended the call. */
  readonly onFault: (error: unknown) => void
  /** Reports a failed speech vendor in a sentence that contains no spoken text. */
  readonly onVendorFailed?: (sentence: string) => void
}

/** The outcome of a finished call. */
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
  /** Sends due audio. The pacer of all calls calls this method every 5 ms. */
  pump(nowMs: number): void
  say(text: string, interruptible: boolean): void
  /** Adds information for the agent. With `respond`, the agent reacts immediately, otherwise at the next turn. */
  inject(text: string, respond: boolean): void
  /** Ends the call. With `drain`, current speech finishes first. */
  end(reason: EndReason, drain: boolean): void
  /** Resolves at most one second after the end. Never rejects. */
  readonly ended: Promise<CallOutcome>
  /** Returns the transcript in the format for tools. */
  getTranscript(): readonly JsonObject[]
}
