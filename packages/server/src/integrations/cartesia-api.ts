/** Supported version of Cartesia's API. */
export const CARTESIA_VERSION = '2026-08-14'

/** Builds the headers of an HTTP request to Cartesia. */
export function buildCartesiaHeaders(apiKey: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${apiKey}`, 'cartesia-version': CARTESIA_VERSION }
}
