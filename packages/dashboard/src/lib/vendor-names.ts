/** Display names of vendors of models and voices. */
export const VENDOR_NAMES = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  elevenlabs: 'ElevenLabs',
  cartesia: 'Cartesia',
} as const

/** Returns the display name of a vendor. Other vendors keep their own name. */
export const getVendorName = (vendor: string): string =>
  (VENDOR_NAMES as Readonly<Record<string, string>>)[vendor] ?? vendor
