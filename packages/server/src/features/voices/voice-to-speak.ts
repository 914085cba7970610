/** A voice of the catalogue, as far as speaking is concerned. */
export interface VoiceToSpeak {
  /** `builtin`, or who provides it. */
  readonly provider: string | null
  /** As the provider knows it. */
  readonly providerVoice: string
  readonly gender: string | null
}
