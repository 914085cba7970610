import { message } from '../../lib/language.ts'

const PRODUCT_LABELS: Readonly<Record<string, string>> = {
  llm: message('Language model'),
  transcription: message('Speech recognition'),
  synthesis: message('Speech synthesis'),
  analysis: message('Analysis'),
  telephony: message('Telephony'),
}

const UNIT_LABELS: Readonly<Record<string, string>> = {
  token: message('tokens'),
  'input-token': message('input tokens'),
  'cached-input-token': message('cached input tokens'),
  'output-token': message('output tokens'),
  character: message('characters'),
  second: message('seconds'),
  minute: message('minutes'),
}

/** Returns the catalog message of a product, or the API name if there is no label. */
export const getProductLabel = (product: string): string => getLabel(PRODUCT_LABELS, product)

/** Returns the catalog message of a unit, or the API name if there is no label. */
export const getUnitLabel = (unit: string): string => getLabel(UNIT_LABELS, unit)

function getLabel(labels: Readonly<Record<string, string>>, name: string): string {
  return (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? name
}
