import { type Field, fieldOfWords } from '@parley/engine/dialogue/rules/fields'
import { type Exchange, fillFields } from '@parley/engine/dialogue/rules/fill-fields'
import { intentsOf, isQuestion, polarityOf } from '@parley/engine/dialogue/rules/intents'
import { bareAnswer } from '@parley/engine/dialogue/rules/read-answer'
import { joinAsSpoken } from '@parley/engine/dialogue/rules/sentences'
import type { JsonValue } from '@parley/engine/ports'
import { actsOf, questionFor } from './acts.ts'
import type { Conversation } from './conversation.ts'
import { isDetails, type Offer, readOffer, sayOffer, takesMessage } from './persona.ts'
import { phrasesOf } from './phrases.ts'
import type { Prompt } from './prompt.ts'

/** Values that a prompt wants collected from a caller, such as a message or an appointment. */
export interface Task {
  readonly fields: readonly Field[]
  /** The values are repeated before they are noted. */
  readonly isRepeated: boolean
  /** What the prompt wants said in the end. */
  readonly closing: readonly string[]
  readonly spellsDigits: boolean
}

const MAX_FIELDS = 8

/** Reads what a prompt wants collected; `null` when it wants nothing. */
export function readTask(prompt: Prompt): Task | null {
  const orders = prompt.instructions.slice(0, 200)
  const offer = readOffer(prompt)
  const isFor: (order: string) => boolean =
    offer.type === 'details'
      ? isDetails
      : orders.some((order) => fieldsOf(order).length > 1 && takesMessage(order))
        ? takesMessage
        : () => true
  const fields: Field[] = []
  for (const field of orders.filter(isFor).flatMap(fieldsOf)) {
    if (!fields.some((one) => isSame(one, field)) && (field.kind !== 'text' || field.label.split(' ').length <= 6))
      fields.push(field)
  }
  const isContact = fields.some(
    ({ kind }) => kind === 'name' || kind === 'phone' || kind === 'email' || kind === 'date-time',
  )
  if (!isContact && offer.type !== 'callback' && offer.type !== 'message') return null
  const closing = orders.flatMap((order) => {
    const acts = actsOf(order)
    const isConditional = /^(?:if|when|wenn|falls|ist)\b/i.test(order) && !acts.some(({ type }) => type === 'ask')
    return isConditional ? [] : acts.flatMap((act) => (act.type === 'say' ? [act.text] : []))
  })
  return {
    fields: isContact ? fields.slice(0, MAX_FIELDS) : [fieldOfWords('name'), fieldOfWords('phone number')],
    isRepeated: orders.some((order) => actsOf(order).some(({ type }) => type === 'repeat')),
    closing: closing.slice(0, 2),
    spellsDigits: orders.some((order) => /digit by digit|ziffer für ziffer/i.test(order)),
  }
}

function fieldsOf(order: string): Field[] {
  return actsOf(order).flatMap((act) => (act.type === 'ask' ? [act.field] : []))
}

function isSame(left: Field, right: Field): boolean {
  if (left.kind === 'date-time' || right.kind === 'date-time')
    return left.kind === right.kind && left.label === right.label
  return left.kind === right.kind && left.kind !== 'text'
}

/** How far a task is, from the conversation alone. */
export interface Progress {
  readonly values: ReadonlyMap<Field, JsonValue>
  readonly open: readonly Field[]
  /** The agent's last words asked for this task. */
  readonly isActive: boolean
}

/** What the replies of a task depend on. */
export interface TaskScene {
  readonly conversation: Conversation
  readonly prompt: Prompt
  readonly language: string
}

function isOwnLanguage({ prompt, language }: TaskScene): boolean {
  return prompt.language === language
}

/** The questions of a field in the languages it may have been asked in. */
function questionsOf(field: Field, scene: TaskScene): readonly string[] {
  return ['en', 'de'].map((language) => questionFor(field, language, scene.prompt.language === language))
}

const MARKS = ['en', 'de'].flatMap((language) => [phrasesOf(language).isCorrect, phrasesOf(language).whatToChange])

export function progressOf(task: Task, scene: TaskScene, all: boolean): Progress {
  const { exchanges, current } = scene.conversation
  const askedField = (asked: string): Field | undefined =>
    task.fields.find((field) => questionsOf(field, scene).some((question) => asked.endsWith(question)))
  const belongs = ({ asked }: Exchange): boolean =>
    askedField(asked) !== undefined || MARKS.some((mark) => asked.endsWith(mark))
  const isActive = current !== null && belongs(current)
  let since = exchanges.length - 1
  while (isActive && since > 0 && belongs(exchanges[since] ?? { asked: '', said: '' })) since -= 1
  const relevant = exchanges.filter(
    ({ asked, said }) => !(MARKS.some((mark) => asked.endsWith(mark)) && polarityOf(said) === 'yes'),
  )
  const start = all ? 0 : Math.max(0, relevant.length - (exchanges.length - since))
  const { values, missing } = fillFields(task.fields, relevant, {
    today: scene.prompt.today,
    since: start,
    askedField,
    takesOwnWords: true,
  })
  return { values, open: missing, isActive }
}

const REQUEST =
  /(?:\b(?:i(?:'d| would)? (?:like|love|want|need)|i'll need|i am looking|i'm looking|can (?:i|you|we|someone|somebody)|could (?:i|you|we|someone|somebody)|may i|please|let's|i'm calling (?:to|for))\b|(?<!\p{L})(?:ich (?:möchte|will|brauche|hätte|würde|muss)|kann ich|könnte ich|könnten sie|können sie|könnt ihr|bitte|einen termin)(?!\p{L})|^(?:book|make|schedule|arrange|leave)\b)/iu
const TASK_WORD =
  /(?<!\p{L})(?:appointments?|book(?:ing)?|reserv\w+|schedule|message|call(?:ed)? (?:me )?back|callback|consultation|come in|see (?:a|the|someone|dr\.?|you)|meet|termin\w*|nachricht|rückruf|zurückruf\w*|reservier\w*|vereinbaren|beratung|vorbeikommen)(?!\p{L})/iu
const ASKS_ABOUT =
  /\b(?:how (?:long|much|many|soon)|what|when|do i need|is there|are there|do you|where|who|which)\b|(?<!\p{L})(?:wie|was|wann|brauche ich|gibt es|wo|welche\w*|wer)(?!\p{L})/iu
const CANCELS =
  /\b(?:cancel|cancellation|reschedule|change|move|postpone)\b|(?<!\p{L})(?:absagen|stornieren|verschieben|verlegen|ändern)(?!\p{L})/iu
export const NOT_SOLVED =
  /\b(?:still|did ?n['’]t|does ?n['’]t|not|nothing)\b.{0,30}\b(?:work|help|solved?|fixed|better|change[ds]?|blink|turn)|(?<!\p{L})(?:immer noch|noch immer|hat nicht|geht nicht|hilft nicht|funktioniert nicht|nichts geholfen|leider nicht)(?!\p{L})/iu

/** Whether the user asks for what a task collects values for. */
export function wantsTask({ conversation, language }: TaskScene, offer: Offer): boolean {
  const { current, exchanges } = conversation
  if (current === null) return false
  const said = current.said.slice(0, 1_000).replaceAll('’', "'")
  const isOffered = offer.type !== 'none' && current.asked.endsWith(sayOffer(offer, language))
  const isInvited =
    /\b(?:appointment|message|book|order|reserv\w+|termin|nachricht|help|buchen)\b[^.?!]{0,40}\?$/i.test(
      current.asked,
    ) && /\b(?:would you like|shall i|do you want|may i|möchten sie|soll ich)\b/i.test(current.asked)
  if (
    isOffered &&
    ['name', 'phone', 'email'].some(
      (kind) => fillFields([fieldOfWords(kind)], [current], { today: null }).values.size > 0,
    )
  )
    return true
  if ((isOffered || isInvited) && polarityOf(said) === 'yes' && (!isQuestion(said) || !/[?？]/.test(said))) return true
  if (exchanges.length > 1 && offer.type === 'details' && NOT_SOLVED.test(said) && !/\?\s*$/.test(said)) return true
  return (
    TASK_WORD.test(said) &&
    REQUEST.test(said) &&
    !CANCELS.test(said) &&
    !(ASKS_ABOUT.test(said) && /\?\s*$/.test(said) && !/^(?:can|could|may|kann|können|könnte)(?!\p{L})/iu.test(said))
  )
}

/** What the agent says next to get on with a task. */
export function nextOfTask(task: Task, { values, open, isActive }: Progress, scene: TaskScene): string {
  const { language, conversation } = scene
  const phrases = phrasesOf(language)
  const asked = conversation.current?.asked ?? ''
  const said = conversation.current?.said ?? ''
  const [next] = open
  if (next !== undefined) {
    const question = questionFor(next, language, isOwnLanguage(scene))
    return isActive && asked.endsWith(question)
      ? `${phrases.unclear} ${question}`
      : `${isActive ? `${phrases.thankYou} ` : ''}${question}`
  }
  const isRepeating = asked.endsWith(phrases.isCorrect)
  if (isRepeating && polarityOf(said) === 'yes') return closeTask(task, language)
  if (isRepeating && polarityOf(said) === 'no' && !tellsMore(said)) return phrases.whatToChange
  if (!task.isRepeated) return closeTask(task, language)
  return `${phrases.repeat(sayValues(values, task, language))} ${phrases.isCorrect}`
}

function tellsMore(said: string): boolean {
  return (
    bareAnswer(said)
      .replace(/^(?:no|nope|nein|not (?:quite|correct)|falsch|wrong|that's wrong|stimmt nicht)[\s,.!]{0,4}/i, '')
      .trim().length > 3
  )
}

function closeTask({ closing }: Task, language: string): string {
  const { noted, anythingElse } = phrasesOf(language)
  const inLanguage = closing.filter((text) => /^(?:Bitte beachten|Wir|Die|Der)/.test(text) === (language === 'de'))
  return [noted, ...inLanguage, anythingElse].join(' ')
}

/** The values of a task, to be checked by the caller. */
export function sayValues(values: ReadonlyMap<Field, JsonValue>, task: Task, language: string): string {
  const listed = task.fields.flatMap((field) => {
    const value = values.get(field)
    return value === undefined ? [] : [sayValueOf(field, value, task, language)]
  })
  return joinAsSpoken(listed, phrasesOf(language).and)
}

function sayValueOf({ kind, label }: Field, value: JsonValue, { spellsDigits }: Task, language: string): string {
  const text = kind === 'phone' && spellsDigits ? spellDigits(String(value)) : String(value)
  const isCallback = /back|rückruf|zurück/i.test(label)
  if (language === 'de') {
    if (kind === 'name') return `Ihr Name ist ${text}`
    if (kind === 'phone') return `Ihre Telefonnummer ist ${text}`
    if (kind === 'email') return `Ihre E-Mail-Adresse ist ${text}`
    if (kind === 'date-time') return isCallback ? `Rückruf: ${text}` : `der Wunschtermin ist ${text}`
    return kind === 'words' ? `es geht um: ${text}` : `${label}: ${text}`
  }
  if (kind === 'name') return `your name is ${text}`
  if (kind === 'phone') return `your phone number is ${text}`
  if (kind === 'email') return `your email address is ${text}`
  if (kind === 'date-time') return isCallback ? `a good time to call back is ${text}` : `the day and time are ${text}`
  return kind === 'words' ? `it is about: ${text}` : `${label}: ${text}`
}

function spellDigits(text: string): string {
  return text
    .replace(/[^\d+]/g, '')
    .split('')
    .join(' ')
}

/** Whether a message gives a task up. */
export function leavesTask(said: string): boolean {
  return intentsOf(said).has('cancel')
}
