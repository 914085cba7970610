import { stopWords } from './stop-words.ts'

const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu
const nonAscii = /[\u0080-\uffff]/
/** Scripts written without spaces (and Korean, whose particles stick to words) are cut into pairs of characters. */
const unspaced = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
/** Question words and particles of Chinese and Japanese, which would otherwise form meaningless pairs. */
const unspacedFiller =
  /什么时候|什么|怎么|请问|是否|可以|你们|您们|我们|几点|哪里|多少|吗|呢|的|了|是|何時|いつ|どこ|いくら|ですか|ますか|です|ます|ください|は|が|を|の|に/g

/** "E-bike" and "ebike" are one word. */
const singleLetterHyphen = /(?<![\p{L}\p{N}])(\p{Ll})[-‐‑](?=\p{Ll}{2})/gu

/** "Per hour" has nothing to do with hours of opening. */
const rateUnit = /\b(?:per|an) (hour|day|week|month)\b/g

/** Lower case, compatibility forms unified, Latin diacritics removed: the form in which words are compared. */
export function foldText(text: string): string {
  const lower = text.toLowerCase()
  const joined = lower.replace(singleLetterHyphen, '$1').replace(rateUnit, 'per$1')
  if (!nonAscii.test(joined)) return joined
  return joined
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/’/g, "'")
}

const suffixes = ['ations', 'ation', 'ments', 'ment', 'ings', 'ing', 'edly', 'ies', 'ied', 'ed', 'es', 's', 'ly']

/**
 * A light English stem: it only has to bring the forms of one word together, it need not be a word. Words of other scripts
 * and words with digits stay as they are.
 */
export function stemWord(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word) || word.endsWith('ss')) return word
  let stemmed = word
  for (const suffix of suffixes) {
    if (word.endsWith(suffix) && word.length - suffix.length >= 3) {
      stemmed = word.slice(0, -suffix.length)
      if (suffix === 'ies' || suffix === 'ied') stemmed += 'y'
      break
    }
  }
  if (stemmed.length > 4 && stemmed.endsWith('ery')) return stemmed.slice(0, -1)
  const last = stemmed.charAt(stemmed.length - 1)
  if (stemmed.length > 3 && last === stemmed.charAt(stemmed.length - 2) && 'bdfgmnprt'.includes(last))
    return stemmed.slice(0, -1)
  if (stemmed.length > 3 && stemmed.endsWith('e')) return stemmed.slice(0, -1)
  return stemmed
}

function pairs(run: string): string[] {
  const characters = [...run]
  if (characters.length < 3) return [run]
  return characters.slice(1).map((character, position) => `${characters[position]}${character}`)
}

function termsOf(text: string, keep: (word: string) => boolean): string[] {
  let folded = foldText(text)
  if (unspaced.test(folded)) folded = folded.replace(unspacedFiller, ' ')
  const terms: string[] = []
  for (const found of folded.match(wordPattern) ?? []) {
    if (unspaced.test(found)) {
      // Not spread into one call: a run may be longer than a call may have arguments.
      for (const pair of pairs(found)) terms.push(pair)
      continue
    }
    const word = found.includes("'") ? found.replace(/'(?:s|ll|re|ve|d|m|t)$/, '').replaceAll("'", '') : found
    if (keep(word)) terms.push(stemWord(word))
  }
  return terms
}

/** All words of a text as comparable terms, in order. */
export function tokenize(text: string): string[] {
  return termsOf(text, () => true)
}

/** The words of a text that carry its topic, as comparable terms, in order. */
export function contentTerms(text: string): string[] {
  return termsOf(text, (word) => !stopWords.has(word) && (word.length > 1 || /\p{N}/u.test(word)))
}
