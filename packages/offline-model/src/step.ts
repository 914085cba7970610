import type { Field } from '@parley/engine/dialogue/rules/fields'
import { intentsOf, isQuestion, polarityOf } from '@parley/engine/dialogue/rules/intents'
import { type Act, actsOfAll, questionFor } from './acts.ts'
import { type Persona, sayGreeting } from './persona.ts'
import { phrasesOf } from './phrases.ts'
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
  const fields = acts.flatMap((act) => (act.type === 'ask' ? [act.field] : []))
  const task: Task = { fields, isRepeated: false, closing: [], spellsDigits: false }
  const progress = progressOf(task, scene, true)
  const parts: string[] = []
  const say = (text: string): void => {
    if (!conversation.said.some((earlier) => earlier.includes(text))) parts.push(text)
  }
  let question = ''
  for (const act of acts) {
    if (question !== '') {
      if (act.type === 'say' && acts.indexOf(act) > 0) say(act.text)
      continue
    }
    switch (act.type) {
      case 'greet':
        if (conversation.said.length === 0)
          parts.push(
            act.name === ''
              ? greetingOf(persona, acts, language)
              : `${phrases.hello.replace(/[!.]$/, '')} ${act.name}!`,
          )
        break
      case 'say':
        say(act.text)
        break
      case 'repeat':
        if (progress.values.size > 0) say(phrases.repeat(sayValues(progress.values, task, language)))
        break
      case 'thank':
        parts.push(phrases.thankYou)
        break
      case 'apologize':
        say(phrases.sorry)
        break
      case 'goodbye':
        parts.push(phrases.goodbye)
        break
      case 'help':
        if (conversation.current === null || intentsOf(conversation.current.said).has('greeting'))
          question = phrases.howCanIHelp
        break
      default:
        question = openQuestion(act, scene, progress.open)
        // One question of both: "Is that right? May I have your name?"
        if (act.type === 'confirm' && question !== '')
          question = `${question} ${nextQuestion(acts, act, scene, progress.open)}`.trim()
    }
  }
  const isKnown = fields.length > 0 && progress.open.length === 0 && question === ''
  const asksFirst = isKnown && conversation.said.length === 0 && !acts.some(({ type }) => type === 'repeat')
  if (asksFirst) question = `${phrases.repeat(sayValues(progress.values, task, language))} ${phrases.isCorrect}`
  // A question comes last, whatever else is to be said.
  const text = [...parts, question].filter((part) => part !== '').join(' ')
  const isFarewell = acts.some(({ type }) => type === 'goodbye')
  const isComplete = isKnown && !asksFirst
  return { text, question, isFarewell, isComplete }
}

function greetingOf(persona: Persona, acts: readonly Act[], language: string): string {
  const asks = acts.some(({ type }) => type === 'ask' || type === 'confirm' || type === 'help')
  const greeting = sayGreeting(persona, language, true)
  return asks ? greeting.replace(phrasesOf(language).howCanIHelp, '').trim() : greeting
}

function nextQuestion(acts: readonly Act[], act: Act, scene: TaskScene, open: readonly Field[]): string {
  const next = acts[acts.indexOf(act) + 1]
  return next?.type === 'ask' && acts.some(({ type }) => type === 'say') ? openQuestion(next, scene, open) : ''
}

/** The question of an act, as long as it is open; '' otherwise. */
function openQuestion(act: Act, scene: TaskScene, open: readonly Field[]): string {
  const { conversation, language, prompt } = scene
  if (act.type === 'confirm') {
    const answered = conversation.exchanges.some(
      ({ asked, said }) => asked.includes(act.question) && (polarityOf(said) !== null || !isQuestion(said)),
    )
    return answered ? '' : act.question
  }
  return act.type === 'ask' && open.includes(act.field)
    ? questionFor(act.field, language, prompt.language === language)
    : ''
}
