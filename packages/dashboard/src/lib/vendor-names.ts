/** Display names of model and voice vendors. */
export const VENDOR_NAMES = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  deepgram: 'Deepgram',
  elevenlabs: 'ElevenLabs',
  cartesia: 'Cartesia',
} as const

/** Returns the display name of a vendor, or its ID if the vendor is unknown. */
export const getVendorName = (vendor: string): string =>
  (VENDOR_NAMES as Readonly<Record<string, string>>)[vendor] ?? vendor
