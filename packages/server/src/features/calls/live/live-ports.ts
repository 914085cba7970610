import type { LegRateHz } from '@parley/engine/audio/frame'
import type { SpeechProbability, Transcriber, TurnDetector, VoiceClassifier } from '@parley/engine/voice/ports'
import type { AgentVoice } from '@parley/engine/voice/session/session-ports'
import type { AgentVoiceSettings } from '@parley/engine/voice/turn-settings'
import type { PinnedAgent } from '../../agents/public.ts'
import type { ResolvedVoice } from '../../voices/public.ts'

/** A workspace's current speech vendors. */
export interface WorkspaceSpeech {
  /** Returns the usable voices in fallback order and one message for each replaced voice. The last voice always works. */
  selectVoices(
    requestedVoices: readonly ResolvedVoice[],
    options: { readonly model: string | null; readonly language: string },
  ): { readonly voices: readonly AgentVoice[]; readonly standIns: readonly string[] }
  /** Returns the transcribers in fallback order. The list is empty if the client recognizes speech or the caller types. */
  selectTranscribers(request: TranscriberRequest): {
    readonly transcribers: readonly Transcriber[]
    readonly standIns: readonly string[]
  }
  /** Loads the built-in recognizer if it transcribes calls with these settings. */
  warmUpTranscriber(request: TranscriberRequest): void
}

/** An agent's recognition settings. */
export interface TranscriberRequest {
  readonly mode: 'fast' | 'accurate' | 'custom'
  /** Vendor for the mode `custom`. */
  readonly provider: string | null
  /** Language tag such as `en-US`. */
  readonly language: string
}

/** Returns the recognition settings of an agent, or the defaults for an agent without a voice. */
export function getTranscriberRequest({ voice }: Pick<PinnedAgent, 'voice'>): TranscriberRequest {
  const { sttMode: mode = 'fast', customSttConfig = null, language = 'en-US' } = voice ?? {}
  return { mode, provider: customSttConfig?.provider ?? null, language }
}

/** Returns the silence that ends an utterance, or null for the vendor's default. */
export function getEndpointingMs({ sttMode, customSttConfig }: AgentVoiceSettings): number | null {
  return sttMode === 'custom' ? (customSttConfig?.endpointing_ms ?? null) : null
}

export interface CallSpeech {
  forWorkspace(workspaceId: number): Promise<WorkspaceSpeech>
}

/** Finds a workspace's voice. Returns null if the voice no longer exists. */
export type FindVoice = (workspaceId: number, voiceId: string) => Promise<ResolvedVoice | null>

/** Creates voice classifiers for callers. */
export interface VoiceClassifiers {
  /** Opens a classifier for one caller. Throws an error if too many classifiers are open (about 20,000). */
  open(rateHz: LegRateHz, onResult: (result: SpeechProbability) => void): VoiceClassifier
}

/** Creates turn detectors for callers. */
export interface TurnDetectors {
  open(rateHz: LegRateHz): TurnDetector
}

/** Drives the media of all calls in this process. */
export interface CallPacing {
  /** Calls `pump` every few milliseconds until the returned function is called. */
  add(pump: (nowMs: number) => void): () => void
}
