import type { SharedVoice } from './voice-library.ts'

/** The parts of a request that a reply can depend on. */
export interface VoiceServerRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Parsed body, or null if it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null
}

/** State that the server stores between requests. */
export interface VoiceServerState {
  readonly apiKey: string
  readonly voices: readonly SharedVoice[]
  /** Names of the voices in the account, by ID. */
  readonly added: Map<string, string>
}
