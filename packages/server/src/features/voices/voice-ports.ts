import type { Voice, VoiceProvider } from '@parley/contract/voice'
import type { ResourceUser } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { VendorKey } from '../vendor-keys/public.ts'

/** A voice without the URL at which this server plays its preview. */
export interface CatalogVoice extends Omit<Voice, 'previewUrl'> {
  /** URL of the vendor's public sample, or null if there is none. */
  readonly previewUrl: string | null
}

/** A voice shared by a vendor's community. */
export interface VoiceSearchResult {
  readonly providerVoiceId: string
  readonly name: string
  readonly description: string
  /** Id of the user who shares the voice, or null if the vendor has no such field. */
  readonly publicUserId: string | null
}

/** A shared voice to add to an account, with its new name. */
export interface SharedVoice {
  readonly providerVoiceId: string
  readonly publicUserId: string | null
  readonly name: string
}

/** A voice in a vendor account. Its texts are safe to store and have a limited length. */
export interface AccountVoice {
  /** Id for synthesis. */
  readonly accountVoiceId: string
  readonly gender: string | null
  readonly language: string | null
  readonly accent: string | null
  readonly description: string
  readonly previewUrl: string | null
  readonly tags: readonly string[]
}

/** A voice in a vendor account, with the name it has there. */
export interface ListedVoice extends AccountVoice {
  readonly name: string
}

/** A failed vendor request. The message can be shown to the caller, because it contains no key or URL. */
export interface VoiceFailure {
  readonly ok: false
  /** `key-unusable` means that the key was rejected or that its base URL cannot be called. */
  readonly reason: 'key-unusable' | 'unknown-voice' | 'failed' | 'timeout'
  readonly message: string
}

export type VoiceOutcome<Value> = { readonly ok: true; readonly value: Value } | VoiceFailure

/** The community voices of one vendor. Never rejects. */
export interface VoiceDirectory {
  /** Returns up to 100 matching voices in the vendor's order. */
  search(key: VendorKey, query: string): Promise<VoiceOutcome<readonly VoiceSearchResult[]>>
  /** Returns the voices of the key's account, at most a few hundred. For a shared key, only those that the vendor offers to all. */
  list(key: VendorKey): Promise<VoiceOutcome<readonly ListedVoice[]>>
  /** Makes a shared voice usable with the key. Also succeeds if the account already has the voice. */
  add(key: VendorKey, voice: SharedVoice): Promise<VoiceOutcome<AccountVoice>>
}

export type VoiceDirectories = Readonly<Record<VoiceProvider, VoiceDirectory>>

/** Finds agents that use a voice. */
export interface VoiceUsers {
  /** Returns the agents whose latest or live version uses the voice. */
  findVoiceUsers(reader: Reader, workspaceId: number, voiceId: string): Promise<readonly ResourceUser[]>
}

/** A vendor's voice that is available without being added. */
export interface VendorVoice {
  readonly provider: 'openai' | 'speech' | 'deepgram' | 'elevenlabs' | 'cartesia'
  /** The vendor's ID for the voice. */
  readonly name: string
  /** Display name. Defaults to the ID. */
  readonly label?: string
  readonly gender: string | null
  /** Null or absent for a voice that speaks the language of its input. */
  readonly language?: string | null
  readonly accent?: string | null
  readonly description: string
  readonly previewUrl?: string | null
  readonly tags?: readonly string[]
}

/** Lists the voices of a workspace's connected vendors. */
export interface VendorVoices {
  /** A vendor that does not respond in time is left out. */
  listVoices(workspaceId: number): Promise<readonly VendorVoice[]>
  /** Lists the voices without asking vendors. Voices can be missing. */
  listKnownVoices(workspaceId: number): Promise<readonly VendorVoice[]>
}

/** A preview to synthesize. */
export interface Preview {
  readonly voice: ResolvedVoice
  readonly text: string
  readonly language: string
  /** Model, or null for the vendor's default. */
  readonly model: string | null
  readonly speed: number
  readonly temperature: number
  readonly emotion: string | null
}

export type PreviewOutcome =
  | { readonly ok: true; readonly wav: Buffer }
  /** The message can be shown to the caller, because it contains no key or URL. */
  | {
      readonly ok: false
      readonly reason: 'not-connected' | 'key-unusable' | 'failed' | 'timeout'
      readonly message: string
    }

/** Synthesizes voice previews without fallback voices. Never rejects. */
export interface PreviewSpeaker {
  preview(workspaceId: number, preview: Preview): Promise<PreviewOutcome>
}

export type SampleOutcome =
  | { readonly ok: true; readonly contentType: string; readonly bytes: Buffer }
  /** The message can be shown to the caller, because it contains no URL. */
  | { readonly ok: false; readonly reason: 'failed' | 'timeout'; readonly message: string }

/** Loads an audio file from an address that a customer chose. Never rejects. */
export type LoadSample = (url: string) => Promise<SampleOutcome>

/** The data needed to synthesize a voice. */
export interface ResolvedVoice {
  /** `builtin` or the vendor. */
  readonly provider: string | null
  /** The vendor's name for the voice. */
  readonly vendorVoice: string
  readonly gender: string | null
}
