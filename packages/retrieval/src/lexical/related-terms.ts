import { readServiceWords, type WordGroup } from '../service-words/service-words.ts'
import { foldDiacritics, lowerCase } from './fold-text.ts'
import { isFunctionWord } from './known-terms.ts'
import { stemWord } from './stem-word.ts'

/** Synonym groups in one language. */
interface StemmedGroups {
  readonly terms: readonly ReadonlySet<string>[]
  /** Groups by term. */
  readonly groupsByTerm: ReadonlyMap<string, readonly number[]>
}

/** Filled on first use, since indexing needs no synonyms. */
let groups: readonly WordGroup[] | null = null
const groupCache = new Map<string, StemmedGroups>()

/**
 * Returns synonyms in the target languages for a word in one of `wordLanguages`. `word` must be in lower case with
 * diacritics.
 */
export function findSynonyms(word: string, wordLanguages: readonly string[], targets: readonly string[]): Set<string> {
  const numbers = new Set<number>()
  for (const language of wordLanguages) {
    const { groupsByTerm } = getStemmedGroups(language)
    for (const number of groupsByTerm.get(stemWord(language, word)) ?? []) numbers.add(number)
  }
  const terms = new Set<string>()
  for (const language of numbers.size > 0 ? targets : []) {
    const stems = getStemmedGroups(language).terms
    for (const number of numbers) for (const term of stems[number] ?? []) terms.add(term)
  }
  return terms
}

function getStemmedGroups(language: string): StemmedGroups {
  const cachedGroups = groupCache.get(language)
  if (cachedGroups !== undefined) return cachedGroups
  groups ??= readServiceWords()
  const stemmedGroups = stemGroups(groups, language)
  groupCache.set(language, stemmedGroups)
  return stemmedGroups
}

function stemGroups(wordGroups: readonly WordGroup[], language: string): StemmedGroups {
  const groupsByTerm = new Map<string, number[]>()
  const terms = wordGroups.map((group, number) => {
    const words = (group.get(language) ?? []).map((word) => lowerCase(word.replaceAll('-', '')))
    const contentWords = words.filter((word) => word !== '' && !isFunctionWord(foldDiacritics(word), language))
    const stems = new Set(contentWords.map((word) => stemWord(language, word)))
    for (const term of stems) {
      const numbers = groupsByTerm.get(term)
      if (numbers === undefined) groupsByTerm.set(term, [number])
      else numbers.push(number)
    }
    return stems
  })
  return { terms, groupsByTerm }
}
