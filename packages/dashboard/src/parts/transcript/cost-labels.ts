import { message } from '../../lib/language.ts'

const PRODUCTS: Readonly<Record<string, string>> = {
  llm: message('Language model'),
  transcription: message('Speech recognition'),
  synthesis: message('Speech synthesis'),
  analysis: message('Analysis'),
  telephony: message('Telephony'),
}

const UNITS: Readonly<Record<string, string>> = {
  token: message('tokens'),
  'input-token': message('input tokens'),
  'cached-input-token': message('cached input tokens'),
  'output-token': message('output tokens'),
  character: message('characters'),
  second: message('seconds'),
  minute: message('minutes'),
}

/** Returns the English label of a product for `t`, or the API name if there is no label. */
export const getProductLabel = (product: string): string => getLabel(PRODUCTS, product)

/** Returns the English label of a unit for `t`, or the API name if there is no label. */
export const getUnitLabel = (unit: string): string => getLabel(UNITS, unit)

function getLabel(labels: Readonly<Record<string, string>>, name: string): string {
  return (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? name
}
