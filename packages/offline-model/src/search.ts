import { type Fact, wordsOfFact } from './prompt.ts'
import { daysIn, topicWords, type Word, WordSet } from './words.ts'

/** What kind of answer a question wants, by its words, and whether a fact has such an answer. */
interface AnswerType {
  readonly name:
    | 'hours'
    | 'price'
    | 'place'
    | 'duration'
    | 'phone'
    | 'email'
    | 'contact'
    | 'language'
    | 'time'
    | 'count'
  readonly asks: RegExp
  /** Words of the question that say no more than the type. */
  readonly words: RegExp
  readonly has: (text: string, label: string, isAlone?: boolean) => boolean
}

const TIME =
  /\d{1,2}:\d\d|\d{1,2} ?(?:to|bis|-|–) ?\d{1,2}(?!\d)|\d\s?[ap]\.?m\b|\d\s?uhr\b|\d ?h\b|24 hours|around the clock/i
const OPEN =
  /(?<!\p{L})(?:open\w*|clos(?:ed?|ing)|hours|shut|(?:ge)?öffn\w*|\p{L}{0,20}zeiten|geschlossen|offen|ouvert\w*|fermé\w*|horaires?|abiert\w*|cerrad\w*|abren?|horario)(?!\p{L})/iu
const MONEY =
  /[$€£¥]\s?\d|(?<![\d.,])\d[\d.,]{0,15}\s?(?:[$€£]|eur(?:os?)?\b|dollars?\b|usd\b|chf\b|francs?\b|franken\b|pounds?\b|cents?\b|percent\b|%)|(?<!\p{L})(?:for free|free(?! (?:to|of (?!charge)))|no (?:fee|charge|extra)|included|kostenlos\w*|gratis|kostet nichts|gebührenfrei|gratuite?s?|gratuit\w*)(?!\p{L})/iu
const PLACE =
  /(?<!\p{L})(?:address|location|street|road|lane|avenue|square|floor|building|located|next to|behind|opposite|near|adresse|anschrift|\p{L}{0,20}(?:straße|weg|platz|gasse)|neben|hinter|gegenüber|stock|gebäude|rue|calle)(?!\p{L})/iu
const WEAK_PLACE = /(?<!\p{L})(?:at the|in the|in front|on the|im|am|in der|bei)(?!\p{L})/iu
const DURATION =
  /(?:\d|(?<!\p{L})(?:one|two|three|four|five|six|ten|a|an|half|within|ein\w*|zwei|drei|vier|fünf|sechs|zehn))[\w -]{0,20}(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|nights?|sekunden?|minuten?|stunden?|tage?n?|werktagen?|wochen?|monate?n?|jahre?n?)/iu
const PHONE = /\+?\d[\d ()/-]{5,20}\d/
const LANGUAGE_NAME =
  /(?<!\p{L})(?:english|german|french|spanish|italian|dutch|polish|turkish|russian|arabic|chinese|portuguese|japanese|englisch|deutsch|französisch|spanisch|italienisch|türkisch|polnisch|russisch|arabisch|anglais|inglés|español|français)(?!\p{L})/iu

const TYPES: readonly AnswerType[] = [
  {
    name: 'price',
    asks: /\bhow much\b|\bis\b.{1,60}\bfree\b(?! (?:on|at|to|now|tomorrow))|(?<!\p{L})(?:costs?|prices?|pric(?:ing|ey)|fees?|charges?|charged|expensive|rates?|pay(?! by| with| in| cash)|for free|free of charge|wie ?viel|kosten|zahlen(?! mit| per)|kostenlos|umsonst|kostet|preise?|teuer|gebühr\w*|combien|prix|coûte\w*|cuánto|cuesta\w*|precio)(?!\p{L})/iu,
    words:
      /^(?:costs?|prices?|pricing|pricey|fees?|charges?|charged|expensive|rates?|much|pay|kosten|kostet|preise?|teuer|gebuhr\w*|zahl\w*|free|hoch|kostenlos|umsonst|gratis|viel|wieviel|combien|prix|coute\w*|cuanto|cuesta|precio)$/,
    has: (text, label) => MONEY.test(text) || MONEY.test(label),
  },
  {
    name: 'duration',
    asks: /\bhow (?:long|soon|quickly|fast|many (?:days|hours|weeks|minutes|months))\b|(?<!\p{L})(?:wie (?:lange?|schnell|viele (?:tage|stunden|wochen|monate|minuten))|dauert|combien de temps|cuánto tiempo)(?!\p{L})/iu,
    words:
      /^(?:long|soon|quickly|fast|take|takes|last|lasts|lange?|dauer\w*|schnell|days?|hours?|weeks?|minutes?|months?|tage?|stunden|wochen|monate|temps|tiempo)$/,
    has: (text) => DURATION.test(text),
  },
  {
    name: 'hours',
    asks: /(?<!\p{L})(?:open|opens|opening|opened|clos(?:e|es|ed|ing)|hours|geöffnet|offen|öffnet|öffnen|öffnungszeit\w*|geschlossen|schließ\w*|sprechzeiten|habt ihr .{0,20} auf|ouvert\w*|ouvrez|horaires?|fermé\w*|abiert\w*|horario|abren?|cerrad\w*)(?!\p{L})/iu,
    words:
      /^(?:open\w*|clos(?:e|es|ed|ing)|hours?|time|times|late|early|auf|zu|geoffnet|offen|offn\w*|geschlossen|schliess\w*|sprechzeiten|ouvert\w*|ouvrez|horaires?|ferme\w*|abiert\w*|horario|abr\w*|cerrad\w*|business|shop|store|office|practice|laden|geschaft|praxis|kanzlei|buro)$/,
    has: (text, label) => (OPEN.test(text) || OPEN.test(label)) && (daysIn(text).size > 0 || TIME.test(text)),
  },
  {
    name: 'email',
    asks: /\be-?mails?\b|(?<!\p{L})(?:correo)(?!\p{L})/iu,
    words: /^(?:e|e?mails?|email\w*|add?ress\w*|addy|write|send|schreiben|correo)$/,
    has: (text) => text.includes('@'),
  },
  {
    name: 'phone',
    asks: /(?<!\p{L})(?:tele)?(?:phone|fon)\w*(?!\p{L})|\b(?:call|ring) you\b|\byour number\b|\bnumber (?:can|do|should) i\b|(?<!\p{L})(?:anrufen|rufnummer|telefonisch|téléphone|teléfono)(?!\p{L})/iu,
    words:
      /^(?:(?:tele)?(?:phone|fon)\w*|call|ring|numbers?|nummer|rufnummer|anrufen|erreichen|erreich\w*|reach|telephone|telefono)$/,
    has: (text, label) =>
      PHONE.test(text) && !text.includes('@') && !MONEY.test(text.slice(0, 12)) && !/hours|zeiten/i.test(label),
  },
  {
    name: 'contact',
    asks: /(?<!\p{L})(?:contact|reach (?:you|someone|out)|get in touch|get hold|kontakt\w*|erreich\w*|contacter|contactar)(?!\p{L})/iu,
    words: /^(?:contact\w*|reach|touch|hold|kontakt\w*|erreich\w*|best|besten|details|way)$/,
    has: (text) => PHONE.test(text) || text.includes('@'),
  },
  {
    name: 'place',
    asks: /(?<!\p{L})(?:where|located|location|address|directions|find you|wo|wohin|adresse|anschrift|standort|où|adresse|dónde|dirección)(?!\p{L})/iu,
    words:
      /^(?:where|locat\w*|address|directions?|find|situated|adresse|anschrift|standort|finde\w*|liegt|befinde\w*|direccion|office|shop|store|practice|buro|kanzlei|praxis|laden|geschaft)$/,
    has: (text, label, isAlone) => PLACE.test(text) || PLACE.test(label) || (isAlone !== true && WEAK_PLACE.test(text)),
  },
  {
    name: 'language',
    asks: /\b(?:languages?|speak|talk)\b|(?<!\p{L})(?:sprach\w*|sprecht|sprechen|parlez|hablan?)(?!\p{L})/iu,
    words:
      /^(?:languages?|speak|talk|sprach\w*|sprech\w*|parlez|habl\w*|english|german|french|spanish|italian|dutch|polish|turkish|russian|arabic|chinese|portuguese|englisch|deutsch|franzosisch|spanisch|italienisch|turkisch|polnisch|russisch|arabisch)$/,
    has: (text) => LANGUAGE_NAME.test(text),
  },
  {
    name: 'count',
    asks: /\bhow many\b|(?<!\p{L})wie viele(?!\p{L})|\bcuántos\b|\bcombien de\b/iu,
    words: /^(?:many|viele|number|anzahl)$/,
    has: (text) =>
      /\d|(?<!\p{L})(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(?!\p{L})/iu.test(
        text,
      ),
  },
  {
    name: 'time',
    asks: /\b(?:when|what time|until when|deadline|by when)\b|(?<!\p{L})(?:wann|um wie viel uhr|quand|cuándo)(?!\p{L})/iu,
    words: /^(?:time|wann|when|date)$/,
    has: (text) =>
      TIME.test(text) ||
      daysIn(text).size > 0 ||
      DURATION.test(text) ||
      /\b(?:first|last|end|day|month|today|tomorrow|usually|\d{4}|\d{1,2}(?:st|nd|rd|th))\b|ersten|letzten|ende|meist/i.test(
        text,
      ),
  },
]

/** A question, read. */
export interface Question {
  readonly text: string
  readonly language: string
  readonly words: readonly Word[]
  readonly type: AnswerType | null
  readonly days: ReadonlySet<number>
}

/** A fact with how well it answers. */
export interface Match {
  readonly fact: Fact
  /** 0 to 1: how much of the question it is about. */
  readonly coverage: number
  readonly rank: number
  /** The words of the question that are in the label or heading. */
  readonly inLabel: readonly Word[]
  /** Every telling word of the question is in the fact, and so is the kind of answer that it wants. */
  readonly isSure: boolean
}

/** A fact that is about less of a question is no answer. */
export const MIN_COVERAGE = 0.66
const MAX_QUESTION_CHARACTERS = 1_500
const MAX_WORDS = 40
const TYPE_WEIGHT = 0.6
const HEADING_SHARE = 0.8
const HAS_NUMBER = /\p{N}/u
const DOMAIN_WEIGHT = 0.2
const DOMAIN_SHARE = 0.7
const DAY_WORD =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tue|wed|thu|fri|sat|sun|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabend|week-?ends?|wochenend\w*|weekdays?|tonight|evenings?|abends?|morning|nachmittags?|noon|holidays?|feiertag\w*|am|pm|uhr|oclock|\d{1,2}(?::\d\d)?)$/
/** What opens a question without being asked about. */
const OPENING =
  /^(?:(?:hi|hello|hey|hallo|guten \p{L}{2,8}|good \p{L}{2,10}|ok(?:ay)?|and|und|so|well|great|thanks|thank you|danke|also)[\s,.!]{1,3}){1,4}/iu
const INTRODUCTION =
  /(?:my name is|this is|i am|i'm|ich bin|mein name ist|ich heiße) \p{Lu}[\p{L}'-]{0,30}(?: \p{Lu}[\p{L}'-]{0,30}){0,2}[\s,.!]{0,3}(?:(?:and|und)(?!\p{L}))?/u

/** "Wie setze ich sie zurück?" asks for "zurücksetzen". */
function joinVerb(text: string): string {
  return text.replace(
    /(?<!\p{L})(setz|geb|schick|send|ruf|bekomm)(?:e|en|st|t)?(?!\p{L})(.{0,60}) zurück(?!\p{L})/giu,
    '$2 zurück$1en',
  )
}

/** Reads a question. `documentLanguage` is that of the facts; a question in another one is compared by meanings. */
export function readQuestion(text: string, language: string): Question {
  const plain = text
    .slice(0, MAX_QUESTION_CHARACTERS)
    .replaceAll('’', "'")
    .replace(INTRODUCTION, ' ')
    .trim()
    .replace(OPENING, '')
  const days = daysIn(plain)
  const all = topicWords(joinVerb(plain), language).slice(0, MAX_WORDS)
  const withoutDays = all.filter(({ text: word }) => !DAY_WORD.test(word))
  const found = TYPES.find(({ asks }) => asks.test(plain)) ?? null
  // "And on Sundays?" asks for the hours as well.
  const type =
    found ?? (days.size > 0 && withoutDays.length === 0 ? (TYPES.find(({ name }) => name === 'hours') ?? null) : null)
  const isAboutTime = type?.name === 'hours' || type?.name === 'time'
  const words = (isAboutTime ? withoutDays : all).filter(({ text: word }) => type?.words.test(word) !== true)
  return { text: plain, language, words, type, days }
}

/** Where is searched. */
export interface SearchScene {
  readonly facts: readonly Fact[]
  readonly language: string
  /** The words that say what the business is: everything is about them. */
  readonly domain: WordSet
}

/** The facts that answer a question, best first. */
export function search(question: Question, scene: SearchScene): Match[] {
  const { words, type } = question
  if (words.length === 0 && type === null) return []
  const matches = scene.facts.flatMap((fact) => matchFact(question, fact, scene) ?? [])
  return matches.sort((left, right) => right.rank - left.rank)
}

function matchFact(question: Question, fact: Fact, scene: SearchScene): Match | null {
  const { words, type, days } = question
  const own = wordsOfFact(fact, scene.language)
  // A question of everyday words alone is about them.
  const isDomain = (word: Word): boolean => scene.domain.shareOf(word) > 0.7
  const telling = words.filter((word) => !isDomain(word))
  const scale = 1 / Math.max(...(telling.length > 0 ? telling : words).map(({ weight }) => weight), 0.1)
  const inLabel: Word[] = []
  const inText: Word[] = []
  let matched = 0
  let total = 0
  let specific = 0
  let missed = 0
  for (const word of words) {
    const isImplied = telling.length > 0 && isDomain(word)
    const weight = isImplied ? DOMAIN_WEIGHT : word.weight * scale
    const label = own.label.shareOf(word)
    const text = own.text.shareOf(word)
    const share = Math.max(label, text, own.heading.shareOf(word) * HEADING_SHARE)
    if (label > 0) inLabel.push(word)
    else if (text > 0) inText.push(word)
    matched += Math.max(share, isImplied ? DOMAIN_SHARE : 0) * weight
    total += weight
    if (share > 0.5 && weight === 1) specific += 1
    // A name with a number is that one or another.
    if (share < (HAS_NUMBER.test(word.text) ? 1 : weight === 1 ? 0.5 : 0)) missed += 1
  }
  const text = textOf(fact)
  // What is asked for must be said of what was asked about.
  const about = inText.length > 0 && inLabel.length === 0 ? sentencesWith(inText, fact, scene.language) : text
  const hasType = type?.has(about, `${fact.label} ${fact.heading}`, words.length === 0) === true
  if (type !== null) {
    total += TYPE_WEIGHT
    if (hasType) matched += TYPE_WEIGHT
  }
  if (matched === 0 || (words.length === 0 ? !hasType : specific === 0)) return null
  const labelWords = own.label.words.length
  const labelShare = labelWords === 0 ? 0 : Math.min(1, inLabel.length / labelWords)
  const isTyped =
    hasType && (type?.asks.test(fact.label) === true || (words.length === 0 && type?.asks.test(text) === true))
  const factDays = days.size > 0 ? daysIn(text) : days
  const hasDay = [...days].some((day) => factDays.has(day))
  const coverage = matched / total
  const rank = coverage + labelShare * 0.2 + (isTyped ? 0.15 : 0) + (hasDay ? 0.12 : 0) + (fact.isQuestion ? 0.02 : 0)
  const isSure = specific > 0 && missed === 0 && (type === null || hasType)
  return { fact, coverage, inLabel, rank, isSure }
}

function sentencesWith(words: readonly Word[], fact: Fact, language: string): string {
  if (fact.sentences.length < 2) return textOf(fact)
  const telling = fact.sentences.filter((sentence) => {
    const set = new WordSet(topicWords(sentence, language))
    return words.some((word) => set.shareOf(word) > 0)
  })
  return telling.join(' ')
}

/** All that a fact says. */
export function textOf({ sentences, cells }: Fact): string {
  return [...sentences, ...cells.map(([header, value]) => `${header} ${value}`)].join(' ')
}
