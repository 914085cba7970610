import { detectLanguage } from '@parley/retrieval/lexical/detect-language'
import { isEverydayWord } from '@parley/retrieval/lexical/everyday-words'
import { foldDiacritics } from '@parley/retrieval/lexical/fold-text'
import { isFunctionWord } from '@parley/retrieval/lexical/known-terms'
import { stemWord } from '@parley/retrieval/lexical/stem-word'
import { tokenize } from '@parley/retrieval/lexical/tokenize'
import { readServiceWords } from '@parley/retrieval/service-words/service-words'

/** A word that carries a topic. */
export interface Word {
  /** Lower case, without diacritics. */
  readonly text: string
  readonly stem: string
  /** Synonym groups of the word. */
  readonly groups: readonly number[]
  /** 1, or less for words that are common in any topic. */
  readonly weight: number
}

const EVERYDAY_WORD_WEIGHT = 0.2
const NUMBER_WEIGHT = 0.5
const MAX_CACHED = 20_000
const MIN_TYPO_LETTERS = 4
const MIN_PART_LETTERS = 4
const GROUP_SHARE = 0.75
const TYPO_SHARE = 0.8

/** Filler words that are missing from the lists of function words. */
const FILLERS = new Set(
  `please won tell know like want need would could question wonder wondering ask help offer provide get possible exactly info
   information details currently terrible awful bad badly strong severe heavy today tomorrow now guy guys folks actually anyone
   anybody someone somebody nobody nothing handle broke lot one ones problem came went goes going keep keeps got put thing things stuff back
   onto really roughly approximately completely totally pretty just middle ve ll re ago maybe again instead around
   user caller customer client wants wishes asks says needs anything something about other present kunde anrufer fragt
   was die an am im in ur u nr pls plz thx ya wanna gonna whats machen macht tun moin bitte sagen wissen frage fragen hatte
   gerne mochte brauche bieten anbieten eigentlich heute morgen gerade moglich genau informationen ungefahr etwa circa denn ab
   ja nein mal stelle stellen komme gefallt vielen dank lieber wirklich vielleicht sache dinge schlimm schlimme stark starke`.split(
    /\s+/,
  ),
)

/** Idioms of callers, grouped by the plain word that replaces them. */
const IDIOMS = `
  open: how late, how long are you open, until what time, until when, till when, be there, drop by, dropped by, stop by, come by ; offen: bis wann ;
  person: come in, come over, on site ; vor ort: vorbeikommen ; video: from home, von zu hause, von daheim ; bring: with me, bring
  along, take along ; mitbringen: mit haben, dabei haben ; new: never been, first visit ; neue: noch nie ; cancel:
  (?:not|can't|cannot) make it ; pain: killing me, hurts, aching ; schmerzen: tut weh, tun weh ; flicker: on and off, flashes,
  flashing ; flackert: an und aus ; zurücksetzen: setzen? [^?.]{0,40} zurück ; zurückbekommen: bekomm\\p{L}* [^?.]{0,40} zurück ;
  not turn on: dead, nothing happens, won't start, won't turn on, no power ; reset: out of the box, factory settings ; return:
  (?:send|sent|give|bring|take) (?:[\\p{L}']+ ){0,3}back, get rid of ; zurückgeben: loswerden, umtauschen, (?:gebe?|schicke?|sende?)n?
  [^?.]{0,40} zurück ; pickup: come get, come and get, come to get, fetch, collect`
const MEANINGS = IDIOMS.split(';').map((line): readonly [RegExp, string] => {
  const [word = '', idioms = ''] = line.replace(/\s+/g, ' ').trim().split(': ')
  return [new RegExp(`(?<!\\p{L})(?:${idioms.replaceAll(', ', '|')})(?!\\p{L})`, 'giu'), word]
})

/** Replaces idioms in a text with plain words. */
export function removeIdioms(text: string): string {
  return MEANINGS.reduce((plain, [idiom, word]) => plain.replace(idiom, word), text)
}

/** Synonyms of business callers besides the shared groups. */
const OWN_GROUPS = `
  consultation consult meeting | erstberatung beratung beratungsgespräch ; checkup examination | kontrolle untersuchung vorsorge
  ; tooth teeth dental | zahn zähne ; flat puncture | platten reifenpanne ; tyre tire wheel | reifen rad ; lamp light bulb | lampe
  licht leuchte ; flicker blink | flackern flackert blinken ; find found detect see discover | finden findet erkennt erkannt sehen
  ; app application phone | app anwendung ; wifi wlan network internet router modem | wlan wifi netz netzwerk router ; documents
  papers bring paperwork | unterlagen dokumente papiere mitbringen ; video online remote zoom | video online ; kids children | kinder
  ; book appointment booking reserve opening slot available | termin buchen vereinbaren reservieren frei ; cancel reschedule |
  absagen absage stornieren verschieben ; emergency urgent pain severe | notfall dringend schmerzen ; ship shipping deliver
  delivery arrive | versand lieferung liefern verschicken ankommen ; return | rückgabe zurückgeben zurück ; insurance insured
  insurer plan medicare medicaid aetna cigna | versicherung krankenkasse versichert aok barmer tk dak allianz ; refund money
  reimbursement | erstattung geld zurück zurückbekommen ; e-bike electric | e-bike elektrofahrrad pedelec ; reset factory restore |
  zurücksetzen werkseinstellung ; loaf bread | brot laib ; criminal crime arrest arrested jail prison defend | strafrecht strafsache
  strafsachen verhaftet polizei verteidigen ; divorce custody alimony separation family | scheidung scheiden sorgerecht unterhalt
  trennung familienrecht ; employment employer employee job boss fired dismissed salary wages | arbeitsrecht arbeitgeber chef arbeit
  gekündigt kündigung gehalt lohn ; rental rent landlord tenant lease eviction | mietrecht miete vermieter mieter wohnung gekündigt
  kündigung ; warranty guarantee covered | garantie gewährleistung ; serve eat people portions | reicht portionen personen essen
  ; city town | stadt ort ; full big large complete | groß komplett voll`

/** Languages of the synonym groups in use. */
const LANGUAGES: ReadonlySet<string> = new Set(['en', 'de', 'fr', 'es'])
let groups: ReadonlyMap<string, readonly number[]> | null = null

/** Returns the group numbers by `language:stem`. Builds them on first use. */
export function groupByStem(): ReadonlyMap<string, readonly number[]> {
  if (groups !== null) return groups
  const byStem = new Map<string, number[]>()
  const own = OWN_GROUPS.split(';').map((group) => {
    const [english = [], german = []] = group.split('|').map((words) => words.trim().split(/\s+/))
    return new Map([['en', english] as const, ['de', german] as const])
  })
  // Colors are not synonyms of each other.
  const shared = readServiceWords().filter((group) => group.get('en')?.includes('colour') !== true)
  for (const [number, group] of [...shared, ...own].entries()) {
    for (const [language, list] of group) {
      if (!LANGUAGES.has(language)) continue
      for (const word of list) {
        const key = `${language}:${stemWord(language, word.replaceAll('-', ''))}`
        byStem.set(key, [...(byStem.get(key) ?? []), number])
      }
    }
  }
  groups = byStem
  return byStem
}

const wordCache = new Map<string, Word | null>()

function readWord(text: string, isNumber: boolean, language: string): Word | null {
  const key = `${language}:${text}`
  const cachedWord = wordCache.get(key)
  if (cachedWord !== undefined) return cachedWord
  const folded = foldDiacritics(text)
  let word: Word | null = null
  const isLight = (folded.length < 2 && !isNumber) || isFunctionWord(folded, language) || FILLERS.has(folded)
  if (!isLight) {
    const stem = isNumber ? folded : stemWord(language, text)
    const weight = isNumber ? NUMBER_WEIGHT : isEverydayWord(folded, [language]) ? EVERYDAY_WORD_WEIGHT : 1
    word = { text: folded, stem, groups: groupByStem().get(`${language}:${stem}`) ?? [], weight }
  }
  if (wordCache.size >= MAX_CACHED) wordCache.clear()
  wordCache.set(key, word)
  return word
}

/** Returns the topic words of a text. Hyphenated words count as one word. */
export function findTopicWords(text: string, language: string): Word[] {
  return tokenize(text.replace(/(?<=\p{L})-(?=\p{L})/gu, '')).flatMap(
    ({ text: token, kind }) => readWord(token, kind === 'number', language) ?? [],
  )
}

/** A set of words to compare other words with. */
export class WordSet {
  readonly words: readonly Word[]
  readonly #stems: Set<string>
  readonly #groups: Set<number>

  constructor(words: readonly Word[]) {
    this.words = words
    this.#stems = new Set(words.map(({ stem }) => stem))
    this.#groups = new Set(words.flatMap(({ groups: own }) => own))
  }

  /** Returns 1 if the set contains the same stem, less for a part, a typo or a synonym, and 0 for no match. */
  computeShare(word: Word): number {
    if (this.#stems.has(word.stem)) return 1
    let share = word.groups.some((group) => this.#groups.has(group)) ? GROUP_SHARE : 0
    if (/\p{N}/u.test(word.text)) return share
    for (const candidate of this.words) {
      if (isPartOf(word.text, candidate.text) || isPartOf(candidate.text, word.text)) return TYPO_SHARE
      if (isTypo(word.text, candidate.text) || (word.stem.length > 5 && isTypo(word.stem, candidate.stem)))
        share = Math.max(share, TYPO_SHARE)
    }
    return share
  }
}

/** Whether a word is the start or end of a compound: "Reinigung" in "Zahnreinigung". */
function isPartOf(part: string, whole: string): boolean {
  if (part.length < MIN_PART_LETTERS || whole.length < part.length + 2) return false
  return whole.startsWith(part) || whole.endsWith(part)
}

/** Whether two words differ by one inserted, missing, changed or swapped letter. */
function isTypo(left: string, right: string): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  if (short.length < MIN_TYPO_LETTERS || long.length > short.length + 1 || /\p{N}/u.test(right)) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start += 1
  const end = short.slice(start)
  if (long.length > short.length) return long.slice(start + 1) === end && start > 0
  const isSwap = long[start] === short[start + 1] && long[start + 1] === short[start]
  return long.slice(start + 1) === end.slice(1) || (isSwap && long.slice(start + 2) === end.slice(2))
}

/** Returns the topic words of a message in the message's language. */
export function findTopics(said: string): Word[] {
  return findTopicWords(said.slice(0, 600), languageOf(said) ?? 'en')
}

const CHARACTERS_FOR_LANGUAGE = 4_000
const CLEAR_WORDS: Readonly<Record<string, RegExp>> = {
  de: /(?<!\p{L})(?:ich|und|sie|ist|wann|wie|wo|haben|kann|können|guten|hallo|danke|bitte|ja|nein|termin|tschüss|geöffnet|offen|öffnungszeiten|kostet|kosten|morgen|uhr|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?!\p{L})|ß/iu,
  en: /\b(?:i|you|the|is|are|what|when|where|how|hello|hi|thanks|please|yes|open|appointment|monday|tuesday|wednesday|thursday|friday|saturday|sunday|my|price|bye|goodbye)\b/i,
}

/** Returns the language (ISO 639-1) of a text, or `null` if it is unclear. */
export function languageOf(text: string): string | null {
  const start = text.slice(0, CHARACTERS_FOR_LANGUAGE)
  const words = tokenize(start).map((token) => foldDiacritics(token.text))
  const detected = words.length >= 4 ? detectLanguage(words) : null
  if (detected !== null && detected !== 'nl' && detected !== 'da') return detected
  const clear = Object.entries(CLEAR_WORDS).filter(([, pattern]) => pattern.test(start))
  return clear.length === 1 ? (clear[0]?.[0] ?? null) : (clear.find(([language]) => language === detected)?.[0] ?? null)
}
