import { DUTCH } from './dutch.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'
import { GERMAN } from './german.ts'
import { ITALIAN } from './italian.ts'
import { PORTUGUESE } from './portuguese.ts'
import { SPANISH } from './spanish.ts'
import { parseWordList, type WordList } from './word-list.ts'

const WORD_LISTS: ReadonlyMap<string, WordList> = new Map([
  ['en', ENGLISH],
  ['de', GERMAN],
  ['fr', FRENCH],
  ['es', SPANISH],
  ['it', ITALIAN],
  ['pt', PORTUGUESE],
  ['nl', DUTCH],
])

/** Words common to many languages, used for unsupported languages. */
const DEFAULT_WORDS = parseWordList({
  backchannels: 'mhm|mm|mmm|hm|hmm|aha|ok|okay',
  commands: 'stop',
  fillers: 'uh|um|eh|äh|hm|hmm|mmm',
  trailingWords: '',
  questionStarts: '',
  requestStarts: '',
  shortAnswers: 'ok|okay',
  numbers: '',
  months: '',
  days: '',
  atWords: '',
  dotWords: '',
  answerCues: { phone: '', date: '', email: 'e-mail|email', spelling: '', number: '' },
  phrases: { fillers: '', toolFillers: '', fallback: '', backchannels: 'Mhm.', notUnderstood: '' },
})

/** Returns the word list for a language tag such as `de-AT`, or a minimal list for unsupported languages. */
export function getWordList(languageTag: string): WordList {
  return WORD_LISTS.get(getBaseLanguage(languageTag)) ?? DEFAULT_WORDS
}

function getBaseLanguage(languageTag: string): string {
  return (languageTag.split(/[-_]/u)[0] ?? '').toLowerCase()
}
