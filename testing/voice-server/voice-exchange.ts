import type { SharedVoice } from './voice-library.ts'

/** What a reply may depend on. */
export interface VoiceServerRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; null when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null
}

/** What the server remembers. */
export interface VoiceServerState {
  readonly apiKey: string
  readonly voices: readonly SharedVoice[]
  /** Names of the voices in the account, by id. */
  readonly added: Map<string, string>
}
