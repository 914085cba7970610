import { readServiceWords, type WordGroup } from '../service-words/service-words.ts'
import { foldMarks, lowerCase } from './fold-text.ts'
import { isFunctionWord } from './known-terms.ts'
import { stemWord } from './stem-word.ts'

/** Synonym groups in one language. */
interface StemmedGroups {
  readonly terms: readonly ReadonlySet<string>[]
  /** Groups by term. */
  readonly groupsOf: ReadonlyMap<string, readonly number[]>
}

/** Filled on first use, since indexing needs no synonyms. */
let groups: readonly WordGroup[] | null = null
const stemmed = new Map<string, StemmedGroups>()

/**
 * Returns synonyms in the documents' languages for a word in one of the languages `asked`. `word` is lower case, with
 * marks.
 */
export function findRelatedTerms(word: string, asked: readonly string[], languages: readonly string[]): Set<string> {
  const numbers = new Set<number>()
  for (const language of asked) {
    const { groupsOf } = getStemmedGroups(language)
    for (const number of groupsOf.get(stemWord(language, word)) ?? []) numbers.add(number)
  }
  const terms = new Set<string>()
  for (const language of numbers.size > 0 ? languages : []) {
    const stems = getStemmedGroups(language).terms
    for (const number of numbers) for (const term of stems[number] ?? []) terms.add(term)
  }
  return terms
}

function getStemmedGroups(language: string): StemmedGroups {
  const cachedGroups = stemmed.get(language)
  if (cachedGroups !== undefined) return cachedGroups
  groups ??= readServiceWords()
  const made = stemGroups(groups, language)
  stemmed.set(language, made)
  return made
}

function stemGroups(all: readonly WordGroup[], language: string): StemmedGroups {
  const groupsOf = new Map<string, number[]>()
  const terms = all.map((group, number) => {
    const words = (group.get(language) ?? []).map((word) => lowerCase(word.replaceAll('-', '')))
    const content = words.filter((word) => word !== '' && !isFunctionWord(foldMarks(word), language))
    const stems = new Set(content.map((word) => stemWord(language, word)))
    for (const term of stems) {
      const numbers = groupsOf.get(term)
      if (numbers === undefined) groupsOf.set(term, [number])
      else numbers.push(number)
    }
    return stems
  })
  return { terms, groupsOf }
}
