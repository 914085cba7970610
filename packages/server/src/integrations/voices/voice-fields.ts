/** Fields of a provider's answers as they can be stored and shown: nothing about them is trusted. */

const MAX_LABEL_CHARACTERS = 100
const MAX_ADDRESS_CHARACTERS = 2000
const MAX_TAGS = 20

/** A text of at most so many characters, without what a database refuses; '' when it is none. */
export function textField(value: unknown, maxCharacters: number): string {
  if (typeof value !== 'string') return ''
  // Cut before it is mended: the cut may halve a surrogate pair.
  return value.slice(0, maxCharacters).replaceAll('\0', '').toWellFormed().trim()
}

/** A word or two; null when there is nothing. */
export function labelField(value: unknown): string | null {
  const label = textField(value, MAX_LABEL_CHARACTERS)
  return label === '' ? null : label
}

/** An http(s) address; null for anything else, so that no page that shows it can be made to run something. */
export function addressField(value: unknown): string | null {
  const address = textField(value, MAX_ADDRESS_CHARACTERS + 1)
  if (address.length > MAX_ADDRESS_CHARACTERS || !URL.canParse(address)) return null
  return /^https?:$/.test(new URL(address).protocol) ? address : null
}

/** The labels among the values, each once. */
export function tagFields(values: readonly unknown[]): string[] {
  const labels = values.map(labelField).filter((label) => label !== null)
  return [...new Set(labels)].slice(0, MAX_TAGS)
}
