import { createField, type Field } from '@parley/engine/dialogue/rules/fields'
import { joinList, splitSentences, toSentence, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import { getPhrases } from './phrases.ts'

/** Something that an instruction makes the agent say. */
export type Act =
  | { readonly type: 'greet'; readonly name: string }
  | { readonly type: 'say'; readonly text: string }
  /** A value to ask for. */
  | { readonly type: 'ask'; readonly field: Field }
  /** A question that is answered with yes or no. */
  | { readonly type: 'confirm'; readonly question: string }
  /** `repeat`: repeats the values that the caller gave. */
  | { readonly type: 'repeat' | 'help' | 'thank' | 'apologize' | 'goodbye' }

const NEXT_VERB =
  /[,;]?\s(?:and then|and|then|und dann|und|dann)\s(?=(?:ask(?! again)|say|tell|repeat|thank|greet|find out|take|offer|apologi[sz]e|collect|frag\w*|sag\w*|wiederhol\w*|biet\w*|nimm|bedank\w*|verabschied\w*)(?!\p{L}))|:\s(?=(?:tell|say|sag|ask|frag)\b)|,\s(?=(?:frage?|sag|ask|say|tell) )/iu
const ASKING =
  /^(?:(?:first|then|also|please|dann|zuerst)\s)?(?:ask|find out|finde? heraus|collect|gather|get|note down|request|frage?|erfrage|notiere|take (?:a|the|down a) (?:short )?message|nimm .{0,30}nachricht auf|take down)(?!\p{L})[,:]?\s?(.*)$/iu
const NO_QUESTION = /\b(?:one question|nur eine frage|again for|questions? at a time|follow-?up|nothing)\b/i
const OBJECT_LEAD =
  /^(?:(?:the |your |each )?(?:callers?|users?|customers?|clients?|guests?|them|him|her|anrufer|kunden)\s)?(?:for|about|with|nach|mit)?[:,]?\s?/i
const WH =
  /^(?:for |on |at |under |in |bei |für |unter |an )?(?:what|which|who|whom|whose|when|where|why|how|was|welche[rsnm]?|wer|wen|wann|wo|warum|wie|wofür|worum)(?!\p{L})/iu
const WH_SPLIT =
  /,?(?<!\b(?:day|date|tag|datum))\s(?:and|und)\s(?=(?:(?:for|on|at|under|für|unter) )?(?:what|which|who|how|when|where|why|was|welche[rsnm]?|wann|wie|warum)(?!\p{L}))|,\s(?=(?:what|which|how|when|where|für|wann|wie|welche)(?!\p{L}))/iu
const ITEM_SPLIT =
  /,\s(?:and |then |und |dann )?(?:then )?(?:for |about |nach )?|(?<!\b(?:day|date|tag|datum))\s(?:and|und|sowie)\s(?:for |about |nach )?/i

/** Parses what an instruction makes the agent say. Instructions about manners yield no acts. */
export function toActs(instruction: string): Act[] {
  const text = trimEndMarks(instruction.slice(0, 1_000).replaceAll('’', "'"), '.!').replace(
    /^for [^,]{1,60}, (?=take )/i,
    '',
  )
  const conditional = /^(?:if|when|ist|wenn|falls|once)\b[^,]{0,120},?.{0,80}?\b(?=ask for|frage? nach)/i.exec(text)
  return (conditional === null ? text : text.slice(conditional[0].length))
    .split(NEXT_VERB)
    .flatMap((clause) => parseClause(clause.trim()))
}

const GREETING =
  /^(?:greet|welcome|begrüße)(?: (?:the|de[nr]) (?:caller|user|customer|client|guest|anrufer|kunden))?(?: for .*)?(?: (\p{Lu}[\p{L}'-]+)$)?/iu
const STATED = /^(?:say|tell (?:the (?:user|caller|customer|client|guest)|them|him|her|\p{Lu}\p{L}+)) that (.+)$/iu
const GERMAN_STATED = /^sage?(?: \p{L}+ \p{L}+)?, (dass .+)$/iu
const LITERAL = /^(?:repeat|say|wiederhole)[^:]{0,60}: (.+)$/i
const PLAIN_ACTS: readonly (readonly ['thank' | 'apologize' | 'goodbye', RegExp])[] = [
  ['thank', /^(?:thank|bedanke?)\b/i],
  ['apologize', /^(?:apologi[sz]e|say (?:that you are )?sorry|entschuldige)\b/i],
  ['goodbye', /^(?:say goodbye|verabschiede|wish .{0,40}\b(?:day|evening))\b/i],
]

function parseClause(clause: string): Act[] {
  const greeting = GREETING.exec(clause)
  if (greeting !== null) return [{ type: 'greet', name: greeting[1] ?? '' }]
  const plainAct = PLAIN_ACTS.find(([, pattern]) => pattern.test(clause))?.[0]
  if (plainAct !== undefined) return [{ type: plainAct }]
  const german = GERMAN_STATED.exec(clause)?.[1]
  const statement = german === undefined ? STATED.exec(clause)?.[1] : `Bitte beachten Sie, ${german}`
  const literal = LITERAL.exec(clause)?.[1]?.replace(/^["“]|["”]$/g, '')
  const text = statement === undefined ? literal : toCaller(statement)
  if (text !== undefined) return [{ type: 'say', text: toSentence(text) }]
  const isRepeat = /^(?:repeat|confirm|wiederhole|bestätige)\b(?!.{0,30}(?:in your own words|digit|mit eigenen))/i.test(
    clause,
  )
  if (isRepeat) return [{ type: 'repeat' }]
  const object = ASKING.exec(clause)?.[1]
  return object === undefined || NO_QUESTION.test(clause) ? [] : parseQuestion(object.replace(OBJECT_LEAD, '').trim())
}

const OFFERS_HELP =
  /^how you (?:can|may) help|^wie du helfen|^(?:what|was) (?:the \w+|they|der \w+) (?:wants?|needs?|möchte|braucht)$/i

function parseQuestion(object: string): Act[] {
  if (object === '') return []
  if (OFFERS_HELP.test(object)) return [{ type: 'help' }]
  const whether = /^(?:whether|if|ob) (.+)$/i.exec(object)?.[1]
  if (whether !== undefined) {
    const [first = '', ...rest] = whether.split(WH_SPLIT)
    const confirmation: Act = { type: 'confirm', question: formatYesNoQuestion(first) }
    return [confirmation, ...rest.map((item): Act => ({ type: 'ask', field: createField(item) }))]
  }
  const items = WH.test(object)
    ? object.split(WH_SPLIT)
    : object
        .replace(/^(?:eine[nrm]?|die|das|den|the|an?) (?:short )?(?:message|nachricht)[:,]? (?:with |mit )?/i, '')
        .split(ITEM_SPLIT)
  const fields = items
    .map((item) => createField(item.trim()))
    .filter(({ label }) => label !== '' && !/^(?:repeat|missing|so|it)\b/i.test(label))
  return fields.map((field): Act => ({ type: 'ask', field }))
}

const PLURALS: Readonly<Record<string, string>> = { is: 'are', has: 'have', wants: 'want', needs: 'need', was: 'were' }
const THEIR = /\b(?:the|a) (?:caller|user|customer|client|guest|patient)'s\b|\btheir\b/gi
const THEY = /\b(?:the (?:caller|user|customer|client|guest|patient)|they|them)\b(?: (is|has|wants|needs|was)\b)?/gi

/** Rewrites a clause about the caller to address the caller: "their name" becomes "your name". */
function toCaller(text: string): string {
  return text
    .replace(THEIR, 'your')
    .replace(THEY, (_, verb?: string) => (verb === undefined ? 'you' : `you ${PLURALS[verb]}`))
}

/** Formats a clause as a question, with a capital letter and a question mark. */
function toQuestion(...words: readonly string[]): string {
  const text = words.filter((word) => word !== '').join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}?`
}

function formatYesNoQuestion(clause: string): string {
  const text = toCaller(clause)
  const wish = /^you (?:want|would like) ?(.*)$/i.exec(text)?.[1]
  if (wish !== undefined) return toQuestion('would you like', wish)
  const [, subject = '', verb = '', rest = ''] = /^(.{1,60}?) (is|are|was|can|would|will|have) (.+)$/i.exec(text) ?? []
  if (subject !== '') return toQuestion(verb, subject === 'it' ? 'that' : subject, rest)
  return getPhrases(/stimmt|richtig|korrekt/i.test(text) ? 'de' : 'en').isCorrect
}

/** Questions for values and the words before them in a summary, by language and kind. */
const WORDING: Readonly<Record<string, Readonly<Record<string, readonly [question: string, lead: string]>>>> = {
  en: {
    name: ['May I have your name, please?', 'your name is'],
    phone: ['What is your phone number?', 'your phone number is'],
    email: ['What is your email address?', 'your email address is'],
    callback: ['When is a good time to call you back?', 'a good time to call back is'],
    'date-time': ['Which day and time would suit you?', 'the day and time are'],
    date: ['Which day would you like?', 'the day is'],
    time: ['What time would you like?', 'the time is'],
    words: ['', 'it is about:'],
  },
  de: {
    name: ['Wie ist Ihr Name?', 'Ihr Name ist'],
    phone: ['Wie lautet Ihre Telefonnummer?', 'Ihre Telefonnummer ist'],
    email: ['Wie lautet Ihre E-Mail-Adresse?', 'Ihre E-Mail-Adresse ist'],
    callback: ['Wann können wir Sie gut zurückrufen?', 'Rückruf:'],
    'date-time': ['Welcher Tag und welche Uhrzeit passen Ihnen?', 'der Wunschtermin ist'],
    date: ['Welcher Tag passt Ihnen?', 'der Tag ist'],
    time: ['Welche Uhrzeit passt Ihnen?', 'die Uhrzeit ist'],
    words: ['', 'es geht um:'],
  },
}

function findWording({ kind, label }: Field, language: string): readonly [question: string, lead: string] {
  const isCallback = kind === 'date-time' && /back|rückruf|zurück/i.test(label)
  return WORDING[language]?.[isCallback ? 'callback' : kind] ?? ['', `${label}:`]
}

/** Returns the words before a value in a summary, such as "your name is". */
export function findLead(field: Field, language: string): string {
  return findWording(field, language)[1]
}

/** Formats the question for a value. `isOwn`: whether the field's label is in the reply's language. */
export function formatQuestion(field: Field, language: string, isOwn: boolean): string {
  const [question] = findWording(field, language)
  if (language === 'de') return question || formatGermanQuestion(field, isOwn)
  const isSpecial = /first|last|family|full|birth/.test(field.label)
  return (isSpecial ? '' : question) || formatEnglishQuestion(field, isOwn)
}

const MAX_CHOICES = 8

function formatEnglishQuestion({ kind, label, choices }: Field, isOwn: boolean): string {
  const own = toCaller(label)
  if (kind === 'name' && /full/.test(own)) return 'May I have your full name, please?'
  const count = kind === 'number' ? /^(?:number of|quantity of) (.+)$/i.exec(own)?.[1] : undefined
  if (count !== undefined) return toQuestion('how many', count)
  if (choices.length > 1 && choices.length <= MAX_CHOICES)
    return toQuestion('which', own, 'would you like:', joinList(choices.map(String), 'or'))
  if ((!isOwn && kind === 'words') || /^(?:reason|why|request|matter|message)$/i.test(own)) return 'What is it about?'
  const [, wh = '', subject = '', verb = '', rest = ''] =
    /^(what|which) (the \p{L}+|it) (is|are) (.{2,40})$/iu.exec(own) ?? []
  if (wh !== '') return toQuestion(wh, verb, subject, rest)
  if (/^(?:what|which (?:\p{L}+ ){1,5}|who) ?(?:is|are|was|would|suits?|happened|went)\b/iu.test(own))
    return toQuestion(own)
  if (/^how many$/i.test(own)) return 'How many would you like?'
  if (kind === 'boolean') return toQuestion('would you like', own)
  return WH.test(own)
    ? toQuestion('could you tell me', own)
    : toQuestion('what is the', own.replace(/^(?:the|your) /, ''))
}

function formatGermanQuestion({ kind, label }: Field, isOwn: boolean): string {
  const [, word = '', subject = '', verb = ''] =
    /^(wofür|worum|was|wie) ((?:der|die|das) \p{L}+|es) (ist|geht|soll)$/iu.exec(label) ?? []
  if (word !== '') return toQuestion(word, verb, subject)
  if (/^was nicht funktioniert/i.test(label)) return 'Was funktioniert nicht?'
  return kind === 'words' || !isOwn ? 'Worum geht es?' : toQuestion('können Sie mir sagen:', label)
}

export function parseAllActs(instructions: readonly string[]): Act[] {
  return instructions.flatMap((one) => splitSentences(one).flatMap(toActs))
}

/** Returns the fields that acts ask for. */
export function listFields(acts: readonly Act[]): Field[] {
  return acts.flatMap((act) => (act.type === 'ask' ? [act.field] : []))
}
