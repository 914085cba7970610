import type { LegRateHz } from '@parley/engine/audio/frame'
import type { Transcriber, VoiceClassifier } from '@parley/engine/voice/ports'
import type { AgentVoice } from '@parley/engine/voice/session/session-ports'
import type { ResolvedVoice } from '../../voices/public.ts'

/** What live calls need of others. */

/** Who speaks and listens for one workspace, now. */
export interface WorkspaceSpeech {
  /** The voices that can speak, in their order, and last one that always can. One sentence for each that was replaced. */
  voices(
    wanted: readonly ResolvedVoice[],
    how: { readonly model: string | null; readonly language: string },
  ): { readonly voices: readonly AgentVoice[]; readonly standIns: readonly string[] }
  /** In the order in which they are tried; none: the caller's end recognises speech, or its words are written. */
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

/** Finds a voice of a workspace; null for one that it does not have any more. */
export type FindVoice = (workspaceId: number, voiceId: string) => Promise<ResolvedVoice | null>

/** Makes classifiers of voice for callers. */
export interface VoiceClassifiers {
  /** One for each caller. @throws Error when there are some twenty thousand already. */
  open(rateHz: LegRateHz): VoiceClassifier
}

/** Paces all calls of this process. */
export interface CallPacing {
  /** Calls `pump` every few milliseconds; the returned function ends that. */
  add(pump: (nowMs: number) => void): () => void
}
