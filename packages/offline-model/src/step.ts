import type { Field } from '@parley/engine/dialogue/rules/fields'
import { intentsOf, isQuestion, polarityOf } from '@parley/engine/dialogue/rules/intents'
import { trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import { type Act, actsOfAll, fieldsOf, questionFor } from './acts.ts'
import { overlap } from './edges.ts'
import { type Persona, sayGreeting } from './persona.ts'
import { joined, phrasesOf } from './phrases.ts'
import { progressOf, sayValues, type Task, type TaskScene } from './task.ts'

/** What the present step of a flow or state wants said. */
export interface StepReply {
  /** '' when it wants nothing said now. */
  readonly text: string
  /** The question that stays open; '' when none does. */
  readonly question: string
  readonly isFarewell: boolean
  /** It asked for values, and all of them are known. */
  readonly isComplete: boolean
}

/** Performs the orders of a step, up to the first question that nobody has answered yet. */
export function performStep(step: readonly string[], scene: TaskScene, persona: Persona): StepReply {
  const acts = actsOfAll(step)
  const { conversation, language } = scene
  const phrases = phrasesOf(language)
  const fields = fieldsOf(acts)
  const task: Task = { fields, isRepeated: false, closing: [], spellsDigits: false }
  const { values, open } = progressOf(task, scene, true)
  const repeated = values.size === 0 ? '' : phrases.repeat(sayValues(values, task, language))
  const isFirst = conversation.said.length === 0
  const texts: Partial<Record<Act['type'], string>> = {
    repeat: repeated,
    thank: phrases.thankYou,
    apologize: phrases.sorry,
    goodbye: phrases.goodbye,
  }
  const parts: string[] = []
  let question = ''
  for (const [at, act] of acts.entries()) {
    if (question === '') question = questionOf(act, acts[at + 1], { scene, open, acts })
    if (act.type === 'greet' && isFirst && parts.length === 0) parts.push(greetingOf(act.name, acts, persona, language))
    const text = act.type === 'say' ? act.text : (texts[act.type] ?? '')
    const isPolite = act.type === 'thank' || act.type === 'goodbye'
    const isDue = isPolite || !conversation.said.some((earlier) => earlier.includes(text))
    if (text !== '' && isDue && (question === '' || act.type === 'say')) parts.push(text)
  }
  const isKnown = fields.length > 0 && open.length === 0 && question === ''
  const asksFirst = isKnown && isFirst && !acts.some(({ type }) => type === 'repeat')
  if (asksFirst) question = joined(repeated, phrases.isCorrect)
  const isFarewell = acts.some(({ type }) => type === 'goodbye')
  return { text: joined(...parts, question), question, isFarewell, isComplete: isKnown && !asksFirst }
}

function greetingOf(name: string, acts: readonly Act[], persona: Persona, language: string): string {
  const { hello, howCanIHelp } = phrasesOf(language)
  if (name !== '') return `${trimEndMarks(hello, '!')} ${name}!`
  const greeting = sayGreeting(persona, language, true)
  return acts.some(({ type }) => /ask|confirm|help/.test(type)) ? greeting.replace(howCanIHelp, '').trim() : greeting
}

interface Asking {
  readonly scene: TaskScene
  readonly open: readonly Field[]
  readonly acts: readonly Act[]
}

/** The question of an act, as long as it is open; '' otherwise. A second one is asked with it where something is repeated. */
function questionOf(act: Act, next: Act | undefined, asking: Asking): string {
  const { conversation, language, prompt } = asking.scene
  const { current, exchanges } = conversation
  if (act.type === 'help')
    return current === null || intentsOf(current.said).has('greeting') ? phrasesOf(language).howCanIHelp : ''
  if (act.type === 'ask')
    return asking.open.includes(act.field) ? questionFor(act.field, language, prompt.language === language) : ''
  if (act.type !== 'confirm') return ''
  const isAnswered = exchanges.some(
    ({ asked, said }) => asked.includes(act.question) && (polarityOf(said) !== null || !isQuestion(said)),
  )
  const isWished = current !== null && !isQuestion(current.said) && overlap(act.question, current.said) >= 0.6
  const isRepeating = asking.acts.some(({ type }) => type === 'say')
  return isAnswered || isWished
    ? ''
    : joined(act.question, next?.type === 'ask' && isRepeating ? questionOf(next, undefined, asking) : '')
}
