import { withoutGreeting } from '../intents.ts'
import { stopWords } from '../stop-words.ts'
import { type AnswerForm, formOf, formWords } from './answer-form.ts'
import { askedThings } from './asked-thing.ts'
import { daysIn } from './days.ts'
import { languageOf, type SpokenLanguage } from './languages.ts'
import { inOneWord } from './phrasal-verbs.ts'
import { synonymGroupsOf } from './synonyms.ts'
import { type Word, wordsOf } from './words.ts'

/** A word that an answer has to be about. */
export interface Slot {
  readonly word: Word
  /** `name`: an answer about another one is no answer. `light`: says little. */
  readonly kind: 'name' | 'topic' | 'light'
  /** Beside the others, before rarity counts. */
  readonly weight: number
  /** The word before it, when only both together are the name: "Comfort L". */
  readonly beside: Word | null
  /** It only says what form the answer has to have, so that an answer of that form needs no such word. */
  readonly form: boolean
  /** It only leads up to the question, so that an answer need not speak of it. */
  readonly optional: boolean
  /** The thing itself that is asked for: without it nothing is an answer. */
  readonly required: boolean
}

/** What a question asks. */
export interface Question {
  readonly slots: readonly Slot[]
  readonly form: AnswerForm | null
  /** It asks how something is done. */
  readonly howTo: boolean
  readonly days: ReadonlySet<number>
  readonly language: SpokenLanguage
}

const lightWords = new Set(
  `use used using uses have offer offers offered provide provides provided possible possibly able work works working happen happens
come comes coming bring brings get gets getting give gives find finds keep keeps put set still already ever actually currently
new old good best better first next thing things way kind type sort people person anyone anybody someone else need needed needs
required require requires requirement have must should please today there near day days time times per each every own got make
makes made does doing done exactly really about around between during after before without within always never only also
long short big small early late many much more less most least same different other another full whole extra
apply applies include includes included including regarding concerning case cases options option choose pick go going
say says said mean means called name details detail question understand looking look wondering curious hope
reach reaches arrange manage handle organise organize ride drive walk stay stays stayed turn turns send show see seen meet add run runs live lives sit visit stop
charged think believe remember forget hear heard read written talk speak spend explain describe avoid signed sign left draw lie suit fall fell wrong fine okay exactly quite still yet soon yesterday tomorrow tonight
rid show shows showing shown appear appears untill til asap
possibility chance available availability right correct normal usual usually general generally
moglich moglichkeit brauche brauchen benotige benotigt bekomme bekommen nehmen machen mache gibt bieten bietet anbieten
geht gehen kommen lange hoch genau etwa eigentlich jetzt heute schon immer pro jeder jede jedes ganz braucht brauchst bekommt
possible faut avoir obtenir faire fait besoin propose proposez offre peut-on puis-je encore deja chaque par toujours vraiment
puedo puede pueden hacer tener hay necesito necesita obtener ofrecen ofrece cada por siempre realmente
maximum minimum max min`.split(/\s+/),
)
const moreStopWords = new Set(
  `if up out off over under again against both own while because until upon s t re ve ll d m im id one ones somewhere anywhere something anything
everything nothing guys folks someone lot bit btw pls plz heya hey hello hi
habt euch euer welchem welchen ab einen einem eines sich man mich mir ihn ihm uns wenn dass daß als bei beim zur zum vom ans aufs durch gegen ohne um bis nach vor
ob dann denn mal eben halt doch nur so wieviel viel viele darf durfen soll sollte mochte wollen wollte hoch weit oft
moi toi lui eux est-ce puis peut peux faut dois doit pouvez pouvons veux c l d j qu n s m t au aux cette cet ces mes tes ses leur leurs y en on si tout toute tous toutes plus moins tres bien
cual que si tan muy mas menos este esta estos estas ese esa eso
`.split(/\s+/),
)

/** Stop words of prompts, which speak of the user; documents speak of customers as such. */
const counterparts = /^(?:users?|customers?|clients?|callers?)$/

const year = /^(?:19|20)\d{2}$/
/** A number with what it counts is a value of the user's, which no document needs to name. */
const valued =
  /^(?:am|pm|uhr|o'?clock|years?|jahre?|ans|anos|days?|tage?n?|jours?|dias?|weeks?|wochen?|months?|monate?n?|mois|meses|hours?|stunden?|heures?|horas?|minutes?|minuten|people|persons?|personen|personnes|personas|guests?|kids?|children|adults?|kg|km|cm|mm|m|gb|mb|eur|euros?|dollars?|percent|prozent|nights?|nachte?|nuits?|noches?|kilos?|kilograms?|pounds|lit(?:re|er)s?|miles?|metres?|meters?)$/

/** After these comes what somebody does, for which there are more words than for things. */
const beforeVerb =
  /^(?:i|we|you|they|he|she|it|to|can|could|may|must|should|shall|will|would|cannot|cant|not|be|please|keeps?|never|also|ich|wir|man|je|nous|on|yo|puedo|podemos|puede|pueden|puis|peut|peux|faut|dois|doit|pouvez|pouvons|veux)$/
const asksFrom =
  /\b(?:what|when|where|who|which|why|how|can|could|may|must|should|do|does|did|is|are|was|will|would|has|have|was|wann|wo|wer|wie|welche[rs]?|kann|darf|muss|gibt|ist|sind|combien|quand|où|qui|quel(?:le)?s?|est-ce|peut|puis|cu[aá]\p{L}*|d[oó]nde|qu[eé]|qui[eé]n|hay|puedo)\b/iu

/** Where the question begins after what leads up to it: "I fly to Kenya soon, when can I get my shots?" */
function startOfQuestion(text: string): number {
  const clauses = [...text.matchAll(/[.,;:!]\s+/g)]
  const opening = /^(?:i|we|my|our|mine|ich|wir|mein\p{L}*|unser\p{L}*|je|nous|mon|ma|mes|yo|mi|mis|some|there|it)\b/iu
  if (clauses.length === 0 || !opening.test(text)) return 0
  for (const clause of clauses) {
    const start = clause.index + clause[0].length
    if (asksFrom.test(text.slice(start, start + 14).split(/\s/)[0] ?? '')) return start
  }
  const last = clauses.at(-1)
  return last === undefined ? 0 : last.index + last[0].length
}

function isNumber(word: Word): boolean {
  return /^\p{N}[\p{N}.,:]*%?$/u.test(word.folded)
}

function isFunctionWord({ folded }: Word): boolean {
  return stopWords.has(folded) || moreStopWords.has(folded) || lightWords.has(folded)
}

function isCode(word: Word): boolean {
  return (/\p{N}/u.test(word.folded) && /\p{L}/u.test(word.folded)) || /^\p{Lu}{2,6}$/u.test(word.raw)
}

function slotOf(
  word: Word,
  around: { readonly before: Word | null; readonly after: Word | null },
  {
    german,
    verbsCount,
    leadsUp,
  }: { readonly german: boolean; readonly verbsCount: boolean; readonly leadsUp: boolean },
): Slot {
  const { before, after } = around
  const inName =
    (before?.capital === true && adjacent(before, word)) || (after?.capital === true && adjacent(word, after))
  const slot = { word, beside: null, form: false, optional: leadsUp, required: false }
  // What has synonyms is no name, however it is written: "Wi-Fi", "PIN".
  const common = synonymGroupsOf(word.stem).length > 0
  if (isNumber(word)) {
    if (year.test(word.folded)) return { ...slot, kind: 'name', weight: 1 }
    const value = after !== null && (valued.test(after.folded) || /^[€$£]/.test(after.raw))
    // "She is 6": a number tells which only behind a noun, "Heron 7".
    const counts = before === null || isFunctionWord(before) || !adjacent(before, word)
    if (value || /[:.,%]/.test(word.folded) || counts) return { ...slot, kind: 'light', weight: 0.3 }
    return { ...slot, kind: 'name', weight: 1, beside: before }
  }
  if (
    isCode(word) &&
    !common &&
    !/^\d+(?:st|nd|rd|th|am|pm|h|kg|km|gb|mb|m|cm|mm|l|w|kw|er|eme|e|x)$/.test(word.folded)
  )
    return { ...slot, kind: 'name', weight: 1, beside: word.folded.length <= 2 ? before : null }
  if (/\p{N}/u.test(word.folded)) return { ...slot, kind: 'light', weight: 0.3 }
  if (/^\p{Lu}$/u.test(word.raw) && before !== null) return { ...slot, kind: 'name', weight: 1, beside: before }
  // "Bürgerbüro Süd": of two nouns in a row the second is a name.
  if (german && word.capital && !common && before?.capital === true && adjacent(before, word))
    return { ...slot, kind: 'name', weight: 1 }
  if (word.capital && !german && (!common || inName) && !leadsUp) return { ...slot, kind: 'name', weight: 1 }
  // "How quick is …" is answered by a figure.
  if (lightWords.has(word.folded)) return { ...slot, kind: 'light', weight: 0.3 }
  if (/^(?:how|wie)$/.test(before?.folded ?? '')) return { ...slot, kind: 'topic', weight: 0.6 }
  if (leadsUp) return { ...slot, kind: 'topic', weight: 0.35 }
  if (!word.capital && beforeVerb.test(before?.folded ?? '')) return { ...slot, kind: 'topic', weight: 0.45 }
  // German writes its nouns with a capital letter; verbs have more ways to be said.
  return { ...slot, kind: 'topic', weight: !verbsCount && !word.capital ? 0.65 : 1 }
}

/** Weekdays are compared as days, not as words. */
function namesDay(word: Word): boolean {
  return word.folded.length > 3 && daysIn(word.raw).size > 0
}

const howTo =
  /\bhow (?:do|can|could|should|must|to|would)\b|\bwhat (?:do|should|must|can) (?:i|we) do\b|\bwie (?:kann|muss|soll|\p{L}+e) (?:ich|man|wir)\b|\bwas (?:mache|tue) ich\b|\bcomment\b|\bc[oó]mo\b/iu

/** What a message asks about. Never throws; a message of function words only has no slots. */
export function readQuestion(message: string): Question {
  const said = (withoutGreeting(message) || message).slice(0, 1_000)
  const text = inOneWord(said)
  const language = languageOf(text)
  const form = formOf(text)
  const written = wordsOf(text)
  // Where nearly every word has a capital letter, it says nothing.
  const shouted = written.length > 3 && written.filter(({ capital }) => capital).length > written.length * 0.6
  const words = shouted ? written.map((word): Word => ({ ...word, capital: false })) : written
  const german = language === 'de'
  const start = startOfQuestion(text)
  const nouns = words.some(({ capital }) => capital)
  const slots = new Map<string, Slot>()
  for (const [position, word] of words.entries()) {
    if (slots.size >= 24) break
    const single = /^\p{Lu}$/u.test(word.raw) && word.capital && !/^[IAYOE]$/.test(word.raw)
    if (
      !single &&
      ((stopWords.has(word.folded) && !counterparts.test(word.folded)) ||
        moreStopWords.has(word.folded) ||
        isBare(word))
    )
      continue
    if (namesDay(word)) continue
    const around = { before: words[position - 1] ?? null, after: words[position + 1] ?? null }
    const slot = slotOf(word, around, {
      german,
      leadsUp: word.at < start,
      verbsCount: form === 'duration' || !german || !nouns,
    })
    const says = form !== null && formWords[form]?.test(word.folded) === true && slot.kind !== 'name'
    if (!slots.has(word.folded))
      slots.set(word.folded, says ? { ...slot, weight: Math.min(slot.weight, 0.5), form: true } : slot)
  }
  return {
    slots: withRequired(withLead([...slots.values()]), text),
    form,
    howTo: form === null && howTo.test(text),
    days: daysIn(text.slice(start)),
    language,
  }
}

/** Where the question itself only says "how much is that", what leads up to it is what it asks about. */
function withLead(slots: readonly Slot[]): readonly Slot[] {
  const asksItself = slots.some(({ kind, form, optional }) => kind !== 'light' && !form && !optional)
  if (asksItself) return slots
  return slots.map((slot) => ({
    ...slot,
    optional: false,
    weight: slot.kind === 'topic' && !slot.form ? 0.8 : slot.weight,
  }))
}

/** Of "tennis court" the last word is the thing. */
function withRequired(slots: readonly Slot[], text: string): Slot[] {
  const required = new Set(
    askedThings(text).map(([from, to]) =>
      slots.findLast(({ word, kind, form }) => kind === 'topic' && !form && word.at >= from && word.at < to),
    ),
  )
  return slots.map((slot) => (required.has(slot) ? { ...slot, required: true } : slot))
}

function adjacent(left: Word, right: Word): boolean {
  return right.at > left.at && right.at - left.at <= left.raw.length + 1
}

function isBare({ folded }: Word): boolean {
  return folded.length < 2 && !/\p{N}/u.test(folded)
}

const continuing =
  /^(?:and|what about|how about|und|wie (?:ist|sieht) es|was ist mit|et|qu'en est-il|y|or|oder|ou|also|what if|same|only|then)\b/i
const pointing =
  /\b(?:it|its|that|they|them|there|this|those|these|one|he|she|then|dort|damit|dafür|das|es|sie|er|dazu|là|cela|ça|il|elle|celui|eso|ello|ese|esa|este|allí)\b/i

/** Whether a question is only understood with the one before. */
export function continues(message: string, question: Question): boolean {
  const text = withoutGreeting(message) || message
  if (continuing.test(text)) return true
  const heavy = question.slots.filter(({ kind, form }) => kind !== 'light' && !form).length
  return heavy === 0 || (heavy <= 2 && pointing.test(text)) || (heavy <= 1 && text.split(/\s+/).length <= 6)
}

/** Completes a question by the one before: what it does not say itself it takes from there. */
export function completed(question: Question, before: Question, message: string): Question {
  const contrasts = continuing.test(withoutGreeting(message) || message)
  const ownName = question.slots.some(({ kind }) => kind === 'name')
  const ownTopic = question.slots.some(({ kind, form }) => kind === 'topic' && !form)
  const known = new Set(question.slots.map(({ word }) => word.folded))
  const taken = before.slots
    .filter(({ word, form }) => !known.has(word.folded) && !(form && question.form !== null))
    .filter(({ kind }) => !(kind === 'name' && ownName && contrasts))
    .filter(({ kind }) => kind !== 'light')
    .map((slot): Slot => (slot.kind === 'topic' && ownTopic ? { ...slot, weight: slot.weight * 0.6 } : slot))
  return {
    slots: [...question.slots, ...taken],
    form: question.form ?? before.form,
    howTo: question.howTo,
    days: question.days.size > 0 ? question.days : before.days,
    language: question.slots.length + question.days.size > 2 ? question.language : before.language,
  }
}
