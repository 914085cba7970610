import type { LegRateHz } from '@parley/engine/audio/frame'
import type { Transcriber, VoiceClassifier } from '@parley/engine/voice/ports'
import type { AgentVoice } from '@parley/engine/voice/session/session-ports'
import type { ResolvedVoice } from '../../voices/public.ts'

/** Speech vendors of one workspace at this moment. */
export interface WorkspaceSpeech {
  /** Usable voices in order, ending with one that always works, and one sentence for each replaced voice. */
  voices(
    wanted: readonly ResolvedVoice[],
    how: { readonly model: string | null; readonly language: string },
  ): { readonly voices: readonly AgentVoice[]; readonly standIns: readonly string[] }
  /** In fallback order; empty when the client recognizes speech or the caller types. */
  recognition(how: {
    readonly mode: 'fast' | 'accurate' | 'custom'
    /** With `custom`. */
    readonly provider: string | null
  }): {
    readonly transcribers: readonly Transcriber[]
    readonly standIns: readonly string[]
  }
}

export interface CallSpeech {
  forWorkspace(workspaceId: number): Promise<WorkspaceSpeech>
}

/** Finds a voice of a workspace; null when it no longer exists. */
export type FindVoice = (workspaceId: number, voiceId: string) => Promise<ResolvedVoice | null>

/** Creates voice classifiers for callers. */
export interface VoiceClassifiers {
  /** One per caller. @throws Error beyond about 20,000. */
  open(rateHz: LegRateHz): VoiceClassifier
}

/** Paces all calls of this process. */
export interface CallPacing {
  /** Calls `pump` every few milliseconds until the returned function is called. */
  add(pump: (nowMs: number) => void): () => void
}
