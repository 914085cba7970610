/** A voice of the catalogue, as far as speaking is concerned. */
export interface ResolvedVoice {
  /** `builtin`, or who provides it. */
  readonly provider: string | null
  /** As the provider knows it. */
  readonly vendorVoice: string
  readonly gender: string | null
}
