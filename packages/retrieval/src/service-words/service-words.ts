import { BUSINESS_WORDS } from './business-words.ts'
import { DEVICE_WORDS } from './device-words.ts'
import { LIFE_WORDS } from './life-words.ts'
import { VISIT_WORDS } from './visit-words.ts'

/** Words that mean much the same to somebody who asks a business something, by language (ISO 639-1). */
export type WordGroup = ReadonlyMap<string, readonly string[]>

/** A list has its groups between semicolons and in each the words of these languages between bars. */
const LANGUAGES: readonly string[] = ['en', 'de', 'fr', 'es', 'it', 'nl']

/** The groups of everyday words that people and documents use for the same things; a word may stand in several. */
export function readServiceWords(): WordGroup[] {
  return [BUSINESS_WORDS, VISIT_WORDS, DEVICE_WORDS, LIFE_WORDS].flatMap((list) =>
    list
      .split(';')
      .filter((group) => group.trim() !== '')
      .map(readGroup),
  )
}

function readGroup(group: string): WordGroup {
  // A language may have no words for it.
  const lists = group.split('|').map((words) => words.split(/\s+/).filter((word) => word !== ''))
  return new Map(LANGUAGES.map((language, at) => [language, lists[at] ?? []]))
}
