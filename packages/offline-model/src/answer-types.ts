import { findWeekdays } from '@parley/engine/dialogue/rules/calendar'
import { foldText } from '@parley/engine/dialogue/rules/intents'

/** A kind of answer, such as a price: which questions ask for it and which facts have it. */
export interface AnswerType {
  readonly name: string
  /** The question is complete without a topic: "Where are you?" is, "How much is it?" is not. */
  readonly isTelling: boolean
  readonly asks: RegExp
  /** Words of a question, folded, that carry no topic besides the type. */
  readonly words: RegExp
  /** `isAlone`: the question has no other topic, so the fact has to be about the type. */
  readonly has: (text: string, label: string, isAlone?: boolean) => boolean
}

/** Returns the alternatives for a regular expression. `_` matches a space, and `*` matches any ending. */
function matchAny(list: string): string {
  return list.trim().split(/\s+/).join('|').replaceAll('_', ' ').replaceAll('*', '\\p{L}*')
}

function matchOne(list: string, others = ''): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${matchAny(list)})(?!\\p{L})${others === '' ? '' : `|${others}`}`, 'iu')
}

const TIME =
  /\d{1,2}:\d\d|\d{1,2} ?(?:to|bis|-|–) ?\d{1,2}(?!\d)|\d\s?[ap]\.?m\b|\d\s?uhr\b|\d ?h\b|24 hours|around the clock/i
const OPEN = matchOne('open* closed? closing shut hours geöffnet öffn* \\p{L}{0,20}zeiten geschlossen offen')
const MONEY = matchOne(
  'for_free free(?!_(?:to|of_(?!charge))) no_(?:fee|charge|extra) included kostenlos* gratis kostet_nichts gebührenfrei',
  '[$€£¥]\\s?\\d|(?<![\\d.,])\\d[\\d.,]{0,15}\\s?(?:[$€£%]|(?:euros?|eur|dollars?|usd|chf|francs?|franken|pounds?|cents?|percent)(?!\\p{L}))',
)
const PLACE =
  matchOne(`address location street road lane avenue square floor building located next_to behind opposite near adresse
  anschrift \\p{L}{0,20}(?:straße|weg|platz|gasse) neben hinter gegenüber stock gebäude`)
const WEAK_PLACE = matchOne('at_the in_the in_front on_the im am in_der bei')
const DURATION =
  /(?:\d|(?<!\p{L})(?:one|two|three|four|five|six|ten|a|an|half|within|ein\w*|zwei|drei|vier|fünf|sechs|zehn))[\w -]{0,20}(?:second|minute|hour|day|week|month|year|night|sekunde|stunde|tag|werktag|woche|monat|jahr)/iu
const PHONE = /\+?\d[\d ()/-]{5,20}\d/
const LANGUAGES = `english german french spanish italian dutch polish turkish russian arabic chinese portuguese japanese
  englisch deutsch französisch spanisch italienisch türkisch polnisch russisch arabisch`
const LANGUAGE = matchOne(LANGUAGES)
const COUNT = matchOne(
  'one two three four five six seven eight nine ten twelve zwei drei vier fünf sechs sieben acht neun zehn zwölf',
  '\\d',
)
const DATE = matchOne(
  'first last end day month today tomorrow usually ersten letzten ende meist',
  '\\d{4}|\\d(?:st|nd|rd|th)\\b',
)

/** By type: phrases that ask for it, words that ask for it, and words without a topic of their own. First match wins. */
const QUESTIONS = `
  price: how_much is_.{1,60}_free(?!_(?:on|at|to|now|tomorrow)) pay(?!_by|_with|_in|_cash) for_free wie_viel zahlen(?!_mit|_per)
  / costs? prices? pricing fees? charges? charged expensive rates? wieviel kosten kostet bezahl* kostenlos umsonst preise? teuer
    gebühr* / much pay zahl* free hoch gratis viel
  ; duration: how_(?:long|soon|quickly|fast) how_many_(?:days|hours|weeks|minutes|months) wie_(?:lange?|schnell)
    wie_viele_(?:tage|stunden|wochen|monate|minuten) / dauert / long soon quickly fast takes? lasts? lange? dauer* schnell days?
    hours? weeks? minutes? months? tage? stunden wochen monate
  ; hours: habt_ihr_.{0,20}_auf open(?!_(?:it|up|the|my|an?|them)) / opens opening opened close closes closed closing hours geöffnet
    offen öffnet öffnen öffnungszeit* geschlossen schließ* sprechzeiten / open hour time times late early auf zu business shop store
    office practice laden geschäft praxis kanzlei büro
  ; email: / e-?mails? / e e?mails? email* add?ress* write send schreiben
  ; phone: call_you ring_you your_number number_(?:can|do|should)_i / phone* telephone* telefon* fon anrufen rufnummer
    / call ring numbers? nummer erreich* reach
  ; contact: reach_(?:you|someone|out) get_in_touch get_hold / contact* kontakt* erreich* / reach touch hold best besten details way
  ; place: find_you / where located location address directions wo wohin adresse anschrift standort / locat* add?ress* find situated
    finde* liegt befinde* office shop store practice büro kanzlei praxis laden geschäft
  ; language: / languages? speak talk sprach* sprecht sprechen / ${LANGUAGES}
  ; count: how_many wie_viele / many / viele number anzahl
  ; time: what_time until_when by_when um_wie_viel_uhr / when deadline wann / time date`

const isTimed = (text: string): boolean => findWeekdays(text).size > 0 || TIME.test(text)

const HAS: Readonly<Record<string, AnswerType['has']>> = {
  price: (text, label) => MONEY.test(text) || MONEY.test(label),
  duration: (text) => DURATION.test(text),
  hours: (text, label) => (OPEN.test(text) || OPEN.test(label)) && isTimed(text),
  email: (text) => text.includes('@'),
  phone: (text, label) => PHONE.test(text) && !/@/.test(text) && !MONEY.test(text.slice(0, 12)) && !OPEN.test(label),
  contact: (text) => PHONE.test(text) || text.includes('@'),
  place: (text, label, isAlone) => PLACE.test(text) || PLACE.test(label) || (isAlone !== true && WEAK_PLACE.test(text)),
  language: (text) => LANGUAGE.test(text),
  count: (text) => COUNT.test(text),
  time: (text) => isTimed(text) || DURATION.test(text) || DATE.test(text),
}

function readType(line: string): AnswerType {
  const [name = '', lists = ''] = line.trim().split(/: ?(.*)/s)
  const [phrases = '', words = '', extra = ''] = lists.split('/ ')
  return {
    name,
    isTelling: !/price|duration|count|time/.test(name),
    asks: matchOne(`${phrases} ${words}`),
    words: new RegExp(`^(?:${matchAny(foldText(`${words} ${extra}`))})$`, 'u'),
    has: HAS[name] ?? (() => false),
  }
}

export const ANSWER_TYPES: readonly AnswerType[] = QUESTIONS.split('\n  ; ').map(readType)
