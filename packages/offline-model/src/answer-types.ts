import { daysIn } from '@parley/engine/dialogue/rules/calendar'
import { foldText } from '@parley/engine/dialogue/rules/intents'

/** What kind of answer a question wants, by its words, and whether a fact has such an answer. */
export interface AnswerType {
  readonly name: string
  /** It says what is asked about, as "Where are you?" does and "How much is it?" does not. */
  readonly isTelling: boolean
  readonly asks: RegExp
  /** Words of a question, folded, that say no more than the type. */
  readonly words: RegExp
  /** `isAlone`: nothing else is asked, so that the fact has to be about the type. */
  readonly has: (text: string, label: string, isAlone?: boolean) => boolean
}

/** One of the words; `_` is a space and `*` any ending. */
function anyOf(list: string): string {
  return list.trim().split(/\s+/).join('|').replaceAll('_', ' ').replaceAll('*', '\\p{L}*')
}

function oneOf(list: string, others = ''): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${anyOf(list)})(?!\\p{L})${others === '' ? '' : `|${others}`}`, 'iu')
}

const TIME =
  /\d{1,2}:\d\d|\d{1,2} ?(?:to|bis|-|–) ?\d{1,2}(?!\d)|\d\s?[ap]\.?m\b|\d\s?uhr\b|\d ?h\b|24 hours|around the clock/i
const OPEN = oneOf(`open* closed? closing shut geöffnet öffn* \\p{L}{0,20}zeiten geschlossen offen ouvert* fermé*
  horaires? abiert* cerrad* abren? horario`)
const MONEY = oneOf(
  `for_free free(?!_(?:to|of_(?!charge))) no_(?:fee|charge|extra) included kostenlos* gratis kostet_nichts gebührenfrei gratuit*`,
  '[$€£¥]\\s?\\d|(?<![\\d.,])\\d[\\d.,]{0,15}\\s?(?:[$€£%]|(?:euros?|eur|dollars?|usd|chf|francs?|franken|pounds?|cents?|percent)(?!\\p{L}))',
)
const PLACE =
  oneOf(`address location street road lane avenue square floor building located next_to behind opposite near adresse
  anschrift \\p{L}{0,20}(?:straße|weg|platz|gasse) neben hinter gegenüber stock gebäude rue calle`)
const WEAK_PLACE = oneOf('at_the in_the in_front on_the im am in_der bei')
const DURATION =
  /(?:\d|(?<!\p{L})(?:one|two|three|four|five|six|ten|a|an|half|within|ein\w*|zwei|drei|vier|fünf|sechs|zehn))[\w -]{0,20}(?:second|minute|hour|day|week|month|year|night|sekunde|stunde|tag|werktag|woche|monat|jahr)/iu
const PHONE = /\+?\d[\d ()/-]{5,20}\d/
const LANGUAGES = `english german french spanish italian dutch polish turkish russian arabic chinese portuguese japanese
  englisch deutsch französisch spanisch italienisch türkisch polnisch russisch arabisch anglais inglés español français`
const LANGUAGE = oneOf(LANGUAGES)
const COUNT = oneOf(
  'one two three four five six seven eight nine ten twelve zwei drei vier fünf sechs sieben acht neun zehn zwölf',
  '\\d',
)
const DATE = oneOf(
  'first last end day month today tomorrow usually ersten letzten ende meist',
  '\\d{4}|\\d(?:st|nd|rd|th)\\b',
)

/** A type is asked for by phrases or by words of its own; `extra` words say no more once it is. */
function typeOf(
  name: string,
  asked: readonly [phrases: string, words: string, extra: string],
  has: AnswerType['has'],
): AnswerType {
  const [phrases, words, extra] = asked
  return {
    name,
    isTelling: !/price|duration|count|time/.test(name),
    asks: oneOf(`${phrases} ${words}`),
    words: new RegExp(`^(?:${anyOf(foldText(`${words} ${extra}`))})$`, 'u'),
    has,
  }
}

/** First match wins. */
export const ANSWER_TYPES: readonly AnswerType[] = [
  typeOf(
    'price',
    [
      `how_much is_.{1,60}_free(?!_(?:on|at|to|now|tomorrow)) pay(?!_by|_with|_in|_cash) for_free free_of_charge wie_viel zahlen(?!_mit|_per)`,
      `costs? prices? pricing pricey fees? charges? charged expensive rates? wieviel kosten kostet bezahl* kostenlos umsonst preise? teuer
       gebühr* combien prix coûte* cuánto cuesta* precio`,
      'much pay zahl* bezahl* free hoch gratis viel',
    ],
    (text, label) => MONEY.test(text) || MONEY.test(label),
  ),
  typeOf(
    'duration',
    [
      `how_(?:long|soon|quickly|fast) how_many_(?:days|hours|weeks|minutes|months) wie_(?:lange?|schnell)
       wie_viele_(?:tage|stunden|wochen|monate|minuten) combien_de_temps cuánto_tiempo`,
      'dauert',
      'long soon quickly fast takes? lasts? lange? dauer* schnell days? hours? weeks? minutes? months? tage? stunden wochen monate temps tiempo',
    ],
    (text) => DURATION.test(text),
  ),
  typeOf(
    'hours',
    [
      'habt_ihr_.{0,20}_auf open(?!_(?:it|up|the|my|an?|them))',
      `opens opening opened close closes closed closing hours geöffnet offen öffnet öffnen öffnungszeit* geschlossen schließ*
       sprechzeiten ouvert* ouvrez horaires? fermé* abiert* horario abren? cerrad*`,
      'open hour time times late early auf zu business shop store office practice laden geschäft praxis kanzlei büro',
    ],
    (text, label) =>
      (OPEN.test(text) || OPEN.test(label) || /\bhours\b/i.test(label)) && (daysIn(text).size > 0 || TIME.test(text)),
  ),
  typeOf('email', ['e-?mails?', 'correo', 'e e?mails? email* add?ress* write send schreiben'], (text) =>
    text.includes('@'),
  ),
  typeOf(
    'phone',
    [
      'call_you ring_you your_number number_(?:can|do|should)_i',
      'phone* telephone* telefon* fon anrufen rufnummer téléphone teléfono',
      'call ring numbers? nummer erreich* reach',
    ],
    (text, label) =>
      PHONE.test(text) && !/@/.test(text) && !MONEY.test(text.slice(0, 12)) && !/hours|zeiten/i.test(label),
  ),
  typeOf(
    'contact',
    [
      'reach_(?:you|someone|out) get_in_touch get_hold',
      'contact* kontakt* erreich*',
      'reach touch hold best besten details way',
    ],
    (text) => PHONE.test(text) || text.includes('@'),
  ),
  typeOf(
    'place',
    [
      'find_you',
      'where located location address directions wo wohin adresse anschrift standort où dónde dirección',
      'locat* add?ress* find situated finde* liegt befinde* office shop store practice büro kanzlei praxis laden geschäft',
    ],
    (text, label, isAlone) => PLACE.test(text) || PLACE.test(label) || (isAlone !== true && WEAK_PLACE.test(text)),
  ),
  typeOf('language', ['', 'languages? speak talk sprach* sprecht sprechen parlez hablan?', LANGUAGES], (text) =>
    LANGUAGE.test(text),
  ),
  typeOf('count', ['how_many wie_viele combien_de', 'cuántos', 'many viele number anzahl'], (text) => COUNT.test(text)),
  typeOf(
    'time',
    ['what_time until_when by_when um_wie_viel_uhr', 'when deadline wann quand cuándo', 'time date'],
    (text) => TIME.test(text) || daysIn(text).size > 0 || DURATION.test(text) || DATE.test(text),
  ),
]

export const HOURS = ANSWER_TYPES.find(({ name }) => name === 'hours') ?? null
