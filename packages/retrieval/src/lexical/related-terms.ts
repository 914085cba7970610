import { readServiceWords, type WordGroup } from '../service-words/service-words.ts'
import { foldMarks, lowerCase } from './fold-text.ts'
import { isFunctionWord } from './known-terms.ts'
import { stemWord } from './stem-word.ts'

/** The groups in one language. */
interface StemmedGroups {
  /** By group. */
  readonly terms: readonly ReadonlySet<string>[]
  /** The numbers of the groups that a term stands in. */
  readonly groupsOf: ReadonlyMap<string, readonly number[]>
}

/** Read when first asked for, and each language when it is first needed: an index that is only being filled needs none. */
let groups: readonly WordGroup[] | null = null
const stemmed = new Map<string, StemmedGroups>()

/**
 * Terms of the documents' languages that mean much the same as a word of a question in one of the languages `asked`. `word` is
 * lower case, with its marks.
 */
export function relatedTerms(word: string, asked: readonly string[], languages: readonly string[]): Set<string> {
  const numbers = new Set<number>()
  for (const language of asked) {
    const { groupsOf } = stemmedGroupsFor(language)
    for (const form of wordForms(word, language)) for (const number of groupsOf.get(form) ?? []) numbers.add(number)
  }
  const terms = new Set<string>()
  for (const language of numbers.size > 0 ? languages : []) {
    const stems = stemmedGroupsFor(language).terms
    for (const number of numbers) for (const term of stems[number] ?? []) terms.add(term)
  }
  return terms
}

function stemmedGroupsFor(language: string): StemmedGroups {
  const known = stemmed.get(language)
  if (known !== undefined) return known
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
    const own = new Set(content.flatMap((word) => wordForms(word, language)))
    for (const term of own) {
      const numbers = groupsOf.get(term)
      if (numbers === undefined) groupsOf.set(term, [number])
      else numbers.push(number)
    }
    return own
  })
  return { terms, groupsOf }
}

/** As it is and as it is indexed: documents in a language that was not told have it unstemmed. */
function wordForms(word: string, language: string): string[] {
  const folded = foldMarks(word)
  const stem = stemWord(language, word)
  return stem === folded ? [folded] : [folded, stem]
}
