import { createField, type Field } from '@parley/engine/dialogue/rules/fields'
import { type Exchange, fillFields, getMessageValues } from '@parley/engine/dialogue/rules/fill-fields'
import { detectIntents, detectPolarity, isQuestion } from '@parley/engine/dialogue/rules/intents'
import { joinList, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import type { JsonValue } from '@parley/engine/ports'
import { type Act, findLead, formatQuestion, listFields, parseAllActs, toActs } from './acts.ts'
import type { Conversation } from './conversation.ts'
import { getOverlap } from './edges.ts'
import { DETAILS, greet, listOffer, MESSAGE, type Offer, readOffer } from './persona.ts'
import { getPhrases, joinText } from './phrases.ts'
import type { Prompt } from './prompt.ts'

/** Values that a prompt tells the agent to collect, for example for a message or an appointment. */
export interface Task {
  readonly fields: readonly Field[]
  /** Whether the agent repeats the values before it confirms them. */
  readonly isRepeated: boolean
  /** What the agent says at the end. */
  readonly closing: readonly string[]
  readonly spellsDigits: boolean
}

const MAX_FIELDS = 8
/** Fields by which a caller can be reached. */
export const CONTACT: readonly Field[] = ['name', 'phone number', 'email'].map(createField)

const CONDITIONAL = /^(?:if|when|wenn|falls|ist)\b/i
const REACHES: ReadonlySet<string> = new Set(['name', 'phone', 'email', 'date-time'])

/** Reads the task of a prompt, or returns `null` if the prompt has no task. */
export function readTask(prompt: Prompt): Task | null {
  const instructions = prompt.instructions.slice(0, 200).map((one) => ({ text: one.slice(0, 400), acts: toActs(one) }))
  const { type } = readOffer(prompt)
  const messages = instructions.filter(({ text, acts }) => MESSAGE.test(text) && listFields(acts).length > 1)
  const details = type === 'details' ? instructions.filter(({ text }) => DETAILS.test(text)) : null
  const asking = details ?? (messages.length > 0 ? messages : instructions)
  const taskFields = asking.flatMap(({ acts }) => listFields(acts))
  const fields = taskFields
    .filter((field, at) => taskFields.findIndex((one) => findSlot(one) === findSlot(field)) === at)
    .slice(0, MAX_FIELDS)
  const isContact = fields.some(({ kind }) => REACHES.has(kind))
  if (!isContact && type !== 'callback' && type !== 'message') return null
  const closing = instructions.filter(({ text, acts }) => !CONDITIONAL.test(text) || listFields(acts).length > 0)
  return {
    fields: isContact ? fields : CONTACT.slice(0, 2),
    isRepeated: instructions.some(({ acts }) => acts.some(({ type: act }) => act === 'repeat')),
    closing: closing.flatMap(({ acts }) => acts.flatMap((act) => (act.type === 'say' ? [act.text] : []))).slice(0, 2),
    spellsDigits: instructions.some(({ text }) => /digit by digit|ziffer für ziffer/i.test(text)),
  }
}

/** Returns a key for a field. A task asks for each kind of value once, except for times and texts. */
function findSlot({ kind, label }: Field): string {
  return kind === 'date-time' || kind === 'text' ? label : kind
}

/** The progress of a task, read from the conversation. */
export interface Progress {
  readonly task: Task
  readonly values: ReadonlyMap<Field, JsonValue>
  readonly open: readonly Field[]
  /** Whether the agent's last message asked for a value of this task. */
  readonly isActive: boolean
}

/** Everything that the replies of a task depend on. */
export interface TaskScene {
  readonly conversation: Conversation
  readonly prompt: Prompt
  readonly language: string
}

const LANGUAGES = ['en', 'de']
const MARKS = LANGUAGES.flatMap((language) => [getPhrases(language).isCorrect, getPhrases(language).whatToChange])

const isMarked = ({ agent: asked }: Exchange): boolean => MARKS.some((mark) => asked.endsWith(mark))

export function getProgress(task: Task, { conversation, prompt }: TaskScene, all: boolean): Progress {
  const { exchanges, current } = conversation
  const isAsked = (question: string, field: Field): boolean =>
    LANGUAGES.some((language) => question.endsWith(formatQuestion(field, language, prompt.language === language)))
  const findField = (question: string): Field | undefined => task.fields.find((field) => isAsked(question, field))
  const isRelated = (exchange: Exchange): boolean => isMarked(exchange) || findField(exchange.agent) !== undefined
  const isActive = current !== null && isRelated(current)
  // The request came before the first question.
  const unrelatedIndex = exchanges.findLastIndex((exchange) => !isRelated(exchange))
  const start = isActive ? Math.max(0, unrelatedIndex) : exchanges.length - 1
  const relevant = exchanges.slice(start).filter((turn) => !isMarked(turn) || detectPolarity(turn.user) !== 'yes')
  const options = { today: prompt.today, requestStart: all ? 0 : start, findAskedField: findField, acceptsText: true }
  const { values, missing } = fillFields(task.fields, [...exchanges.slice(0, start), ...relevant], options)
  return { task, values, open: missing, isActive }
}

export const REQUEST =
  /(?:\b(?:i(?:'d| would)? (?:like|love|want|need)|i'll need|i am looking|i'm looking|can (?:i|you|we|someone|somebody)|could (?:i|you|we|someone|somebody)|may i|please|let's|i'm calling (?:to|for))\b|(?<!\p{L})(?:ich (?:möchte|will|brauche|hätte|würde|muss)|kann ich|könnte ich|könnten sie|können sie|könnt ihr|bitte|einen termin)(?!\p{L})|^(?:book|make|schedule|arrange|leave)\b)/iu
const TASK_WORD =
  /(?<!\p{L})(?:appointments?|book(?:ing)?|reserv\w+|schedule|message|call(?:ed)? (?:me )?back|callback|consultation|come in|see (?:a|the|someone|dr\.?|you)|meet|termin\w*|nachricht|rückruf|zurückruf\w*|ruf\w* .{0,20}zurück|reservier\w*|vereinbaren|beratung|vorbeikommen)(?!\p{L})/iu
const ASKS_ABOUT =
  /\b(?:how \w+|what|when|do i|is there|are there|do you|where|who|which)\b|(?<!\p{L})(?:wie|was|wann|brauche ich|gibt es|wo|welche\w*|wer)(?!\p{L})/iu
const CANCELS =
  /\b(?:cancel|cancellation|reschedule|change|move|postpone)\b|(?<!\p{L})(?:absagen|stornieren|verschieben|verlegen|ändern)(?!\p{L})/iu
const AVAILABLE = /(?<!\p{L})(?:free|available|openings?|slots?|frei)(?!\p{L})/iu
export const NOT_SOLVED =
  /\bstill nothing\b|\bno luck\b|\b(?:still|did ?n['’]t|does ?n['’]t|not|nothing)\b.{0,30}\b(?:work|help|solved?|fixed|better|change[ds]?|blink|turn)|(?<!\p{L})(?:immer noch|noch immer|hat nicht|geht nicht|hilft nicht|funktioniert nicht|nichts geholfen|leider nicht)(?!\p{L})/iu

const INVITES =
  /\b(?:would you like|shall i|do you want|may i|möchten sie|soll ich)\b.{0,60}\b(?:appointment|message|book|order|reserv\w+|termin|nachricht|help|buchen)\b[^.?!]{0,40}\?$/i
const MAY_I = /^(?:can|could|may|kann|können|könnte)(?!\p{L})/iu

/** Whether the user asks for the task. */
export function isTaskRequest({ conversation, language }: TaskScene, offer: Offer): boolean {
  const { current, exchanges } = conversation
  if (current === null) return false
  const message = current.user.slice(0, 1_000).replaceAll('’', "'")
  const isOffered = offer.type !== 'none' && current.agent.endsWith(listOffer(offer, language))
  const endsAsking = /[?？]\s*$/.test(message)
  if (isOffered && fillFields(CONTACT, [current], { today: null }).values.size > 0) return true
  if ((isOffered || INVITES.test(current.agent)) && detectPolarity(message) === 'yes' && !endsAsking) return true
  if (exchanges.length > 1 && offer.type === 'details' && NOT_SOLVED.test(message) && !endsAsking) return true
  if (CANCELS.test(message)) return false
  if (INVITES.test(current.agent) && REQUEST.test(message) && !isQuestion(message)) return true
  const { dates, times } = getMessageValues(current, null)
  if (AVAILABLE.test(message) && dates.length + times.length > 0) return true
  const isWish = TASK_WORD.test(message) && REQUEST.test(message)
  return isWish && !(ASKS_ABOUT.test(message) && endsAsking && !MAY_I.test(message))
}

/** Returns the agent's next message in a task. */
export function resumeTask({ task, values, open, isActive }: Progress, scene: TaskScene): string {
  const { language, conversation } = scene
  const phrases = getPhrases(language)
  const asked = conversation.current?.agent ?? ''
  const message = conversation.current?.user ?? ''
  const [next] = open
  if (next !== undefined) {
    const question = formatQuestion(next, language, scene.prompt.language === language)
    const isAgain = isActive && asked.endsWith(question)
    return joinText(isAgain ? phrases.unclear : isActive ? phrases.thankYou : '', question)
  }
  const polarity = asked.endsWith(phrases.isCorrect) ? detectPolarity(message) : null
  if (polarity === 'yes' || !task.isRepeated) return closeTask(task, language)
  if (polarity === 'no' && message.split(' ').length < 3) return phrases.whatToChange
  return joinText(phrases.repeat(formatValues(values, task, language)), phrases.isCorrect)
}

function closeTask(task: Task, language: string): string {
  const { noted, anythingElse } = getPhrases(language)
  return joinText(noted, findClosing(task, language), anythingElse)
}

/** Returns the closing statements of a task in the reply's language. */
export function findClosing({ closing }: Task, language: string): string {
  return closing.filter((text) => /^(?:Bitte beachten|Wir|Die|Der)/.test(text) === (language === 'de')).join(' ')
}

/** Returns the value that a prompt asks for if a caller reports a problem without details. */
export function findCause({ instructions }: Prompt): Field | undefined {
  return listFields(instructions.flatMap(toActs)).find(
    ({ kind, label }) => kind === 'words' && /^(?:what|was)\b/i.test(label),
  )
}

/** Formats the values of a task so that the caller can check them. */
function formatValues(values: ReadonlyMap<Field, JsonValue>, task: Task, language: string): string {
  const listed = task.fields.flatMap((field) => {
    const value = String(values.get(field) ?? '')
    const isSpelled = field.kind === 'phone' && task.spellsDigits
    const text = isSpelled ? [...value.replace(/[^\d+]/g, '')].join(' ') : value
    return value === '' ? [] : [`${findLead(field, language)} ${text}`]
  })
  return joinList(listed, getPhrases(language).and)
}

/** What the current step of a flow or state makes the agent say. */
export interface StepReply {
  /** Empty if the agent has nothing to say now. */
  readonly text: string
  /** The unanswered question, or an empty string. */
  readonly question: string
  readonly isFarewell: boolean
  /** Whether the step asked for values and all of them are known. */
  readonly isComplete: boolean
}

/** Performs the instructions of a step up to its first unanswered question. */
export function performStep(step: readonly string[], scene: TaskScene, introduction: string): StepReply {
  const acts = parseAllActs(step)
  const { conversation, language } = scene
  const phrases = getPhrases(language)
  const fields = listFields(acts)
  const task: Task = { fields, isRepeated: false, closing: [], spellsDigits: false }
  const { values, open } = getProgress(task, scene, true)
  const repeated = values.size === 0 ? '' : phrases.repeat(formatValues(values, task, language))
  const isFirst = conversation.said.length === 0
  const texts: Partial<Record<Act['type'], string>> = {
    repeat: repeated,
    thank: phrases.thankYou,
    apologize: phrases.sorry,
    goodbye: phrases.goodbye,
  }
  const parts: string[] = []
  let question = ''
  for (const [index, act] of acts.entries()) {
    if (question === '') question = findQuestion(act, acts[index + 1], { scene, open, acts })
    if (act.type === 'greet' && isFirst && parts.length === 0)
      parts.push(findGreeting(act.name, acts, introduction, language))
    const text = act.type === 'say' ? act.text : (texts[act.type] ?? '')
    const isPolite = act.type === 'thank' || act.type === 'goodbye'
    const isDue = isPolite || !conversation.said.some((earlier) => earlier.includes(text))
    if (text !== '' && isDue && (question === '' || act.type === 'say')) parts.push(text)
  }
  const isKnown = fields.length > 0 && open.length === 0 && question === ''
  const asksFirst = isKnown && isFirst && !acts.some(({ type }) => type === 'repeat')
  if (asksFirst) question = joinText(repeated, phrases.isCorrect)
  const isFarewell = acts.some(({ type }) => type === 'goodbye')
  return { text: joinText(...parts, question), question, isFarewell, isComplete: isKnown && !asksFirst }
}

function findGreeting(name: string, acts: readonly Act[], introduction: string, language: string): string {
  const { hello, howCanIHelp } = getPhrases(language)
  if (name !== '') return `${trimEndMarks(hello, '!')} ${name}!`
  const greeting = greet(introduction, language, true)
  return acts.some(({ type }) => /ask|confirm|help/.test(type)) ? greeting.replace(howCanIHelp, '').trim() : greeting
}

interface Asking {
  readonly scene: TaskScene
  readonly open: readonly Field[]
  readonly acts: readonly Act[]
}

/** Returns the unanswered question of an act, or ''. The next question follows a summary in the same message. */
function findQuestion(act: Act, next: Act | undefined, asking: Asking): string {
  const { conversation, language, prompt } = asking.scene
  const { current, exchanges } = conversation
  if (act.type === 'help')
    return current === null || detectIntents(current.user).has('greeting') ? getPhrases(language).howCanIHelp : ''
  if (act.type === 'ask')
    return asking.open.includes(act.field) ? formatQuestion(act.field, language, prompt.language === language) : ''
  if (act.type !== 'confirm') return ''
  const isAnswered = exchanges.some(
    (one) => one.agent.includes(act.question) && (detectPolarity(one.user) !== null || !isQuestion(one.user)),
  )
  const isWished = current !== null && !isQuestion(current.user) && getOverlap(act.question, current.user) >= 0.6
  const isRepeating = asking.acts.some(({ type }) => type === 'say')
  return isAnswered || isWished
    ? ''
    : joinText(act.question, next?.type === 'ask' && isRepeating ? findQuestion(next, undefined, asking) : '')
}
