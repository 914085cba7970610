import type { VoiceProvider } from '@parley/contract/voice'
import type { Reader } from '../../kernel/storage/database.ts'
import type { VendorKey } from '../vendor-keys/public.ts'
import type { ResolvedVoice } from './resolved-voice.ts'

/** What the voices feature needs of others. */

/** A voice that a provider's community shares. */
export interface FoundVoice {
  readonly providerVoiceId: string
  readonly name: string
  readonly description: string
  /** Who shares it; null where the provider has none. */
  readonly publicUserId: string | null
}

/** A shared voice that is to join an account, and what it shall be called there. */
export interface SharedVoice {
  readonly providerVoiceId: string
  readonly publicUserId: string | null
  readonly name: string
}

/** What a provider tells of a voice in an account. Texts are storable and of bounded length. */
export interface AccountVoice {
  /** What speech is asked with. */
  readonly accountVoiceId: string
  readonly gender: string | null
  readonly language: string | null
  readonly accent: string | null
  readonly description: string
  readonly previewUrl: string | null
  readonly tags: readonly string[]
}

/** Why a provider gave no answer. The message is a sentence for the caller: no key, no address. */
export interface VoiceFailure {
  readonly ok: false
  /** `key-unusable`: the key was refused, or its own address cannot be called. */
  readonly reason: 'key-unusable' | 'unknown-voice' | 'failed' | 'timeout'
  readonly message: string
}

export type VoiceOutcome<Value> = { readonly ok: true; readonly value: Value } | VoiceFailure

/** The community voices of one provider. Never rejects. */
export interface VoiceDirectory {
  /** At most 100 voices that match, in the provider's order. */
  search(key: VendorKey, query: string): Promise<VoiceOutcome<readonly FoundVoice[]>>
  /** Makes a shared voice usable with the key. Succeeds as well when the account has it already. */
  add(key: VendorKey, voice: SharedVoice): Promise<VoiceOutcome<AccountVoice>>
}

export type VoiceDirectories = Readonly<Record<VoiceProvider, VoiceDirectory>>

/** Who would fall silent without a voice. */
export interface VoiceUsers {
  /** The agents whose newest or active version speaks with it. */
  voiceUsers(
    reader: Reader,
    workspaceId: number,
    voiceId: string,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>
}

/** A voice that a connected provider has, without that anybody added it. */
export interface VendorVoice {
  readonly provider: 'openai' | 'speech'
  /** As the provider knows it. */
  readonly name: string
  readonly gender: string | null
  readonly description: string
}

/** The voices of the providers that are connected for a workspace now. */
export interface VendorVoices {
  voicesFor(workspaceId: number): Promise<readonly VendorVoice[]>
}

/** Something to hear a voice by. */
export interface Preview {
  readonly voice: ResolvedVoice
  readonly text: string
  readonly language: string
  /** The provider's own when null. */
  readonly model: string | null
  readonly speed: number
  readonly temperature: number
  readonly emotion: string | null
}

export type PreviewOutcome =
  | { readonly ok: true; readonly wav: Buffer }
  /** The message is a sentence for the caller: no key, no address. */
  | {
      readonly ok: false
      readonly reason: 'not-connected' | 'key-unusable' | 'failed' | 'timeout'
      readonly message: string
    }

/** Speaks a few words; nobody stands in for a voice that cannot. Never rejects. */
export interface PreviewSpeaker {
  preview(workspaceId: number, preview: Preview): Promise<PreviewOutcome>
}
