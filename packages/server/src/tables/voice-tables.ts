import type { Json, Milliseconds } from './columns.ts'

/** A voice of a provider that a workspace added. */
export interface VoiceRow {
  voice_id: string
  workspace_id: number
  /** elevenlabs or cartesia */
  provider: string
  /** As the provider's community knows it; once in a workspace. */
  provider_voice_id: string
  /** As the account at the provider knows it: what speech is asked with. */
  account_voice_id: string
  /** Who shares it; null where the provider has none. */
  public_user_id: string | null
  name: string
  gender: string | null
  language: string | null
  accent: string | null
  description: string
  preview_url: string | null
  tags: Json
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface VoiceTables {
  voices: VoiceRow
}
