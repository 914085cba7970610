import { message } from '../../lib/language.ts'

/** What the API calls the parts of a cost, in English; shown through the catalogue. */
const PRODUCTS: Readonly<Record<string, string>> = {
  llm: message('Language model'),
  transcription: message('Speech recognition'),
  synthesis: message('Voice'),
  analysis: message('Analysis'),
  telephony: message('Telephony'),
}

const UNITS: Readonly<Record<string, string>> = {
  token: message('tokens'),
  'input-token': message('tokens read'),
  'cached-input-token': message('cached tokens read'),
  'output-token': message('tokens written'),
  character: message('characters'),
  second: message('seconds'),
  minute: message('minutes'),
}

/** What was used; null for a word that only the server knows. */
export function productWord(product: string): string | null {
  return Object.hasOwn(PRODUCTS, product) ? (PRODUCTS[product] ?? null) : null
}

/** What a quantity counts; null for a word that only the server knows. */
export function unitWord(unit: string): string | null {
  return Object.hasOwn(UNITS, unit) ? (UNITS[unit] ?? null) : null
}
