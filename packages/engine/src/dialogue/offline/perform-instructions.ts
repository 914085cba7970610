import { answerFromFacts } from './answer-question.ts'
import { isInstruction } from './classify-sentence.ts'
import { composeGreeting } from './compose-reply.ts'
import { trimEndMarks } from './cut-text.ts'
import { describeResult } from './describe-result.ts'
import { extractValues } from './extract-values.ts'
import { type Act, actsOf } from './instructed-acts.ts'
import type { Knowledge } from './knowledge.ts'
import { answerFromPassages } from './passages/answer-from-passages.ts'
import type { ConversationReading } from './read-messages.ts'
import { chooseWay } from './routing/choose-way.ts'
import { askListed } from './routing/given-values.ts'
import { asSentence, joinAsSpoken, shorten, splitSentences } from './split-sentences.ts'

/** What the present step of a conversation wants said. */
export interface Instructed {
  /** `null`: everything has been said. */
  readonly text: string | null
  /** The question that was asked for it last and may be asked again; `null` when there is none. */
  readonly repeated: string | null
  readonly farewell: boolean
  /** Nothing is left to be asked for: all that the step collects is known. */
  readonly complete: boolean
  /** The step says itself what to say, so that nothing else of the prompt is carried out in its place. */
  readonly leads: boolean
}

const maximumChars = 4_000
const conditional = /^(?:if|when|in case|once|should)\s+(\S.{2,299}?),\s*(?:then\s+)?(\S.{2,599})$/is
const contrary = /^(?:otherwise|if not|else),?\s*(\S.{2,599})$/is

/** The last passage of the last system message, which is where the instruction of a step stands, and whether something precedes it. */
export function presentStep(systems: readonly string[]): {
  readonly text: string
  readonly alone: boolean
  readonly verbatim: boolean
} {
  const source = (systems.at(-1) ?? '').trim()
  const [, space = '', marked = ''] = /(?:^|\n)the text:(\s+)(\S[\s\S]{0,3999})$/i.exec(source.slice(-6_000)) ?? []
  if (space.includes('\n')) return { text: marked.trim(), alone: false, verbatim: true }
  const tail = source.slice(-maximumChars).replace(/\n[ \t\r]+(?=\n)/g, '\n')
  const at = tail.lastIndexOf('\n\n')
  return { text: tail.slice(Math.max(0, at)).trim(), alone: at < 0 && source.length <= maximumChars, verbatim: false }
}

/** Sentences of a passage; list items belong to the line that leads them in. */
function sentencesOf(text: string): string[] {
  const joined = text
    .replace(/:(\s+)(?:[-*•]|\d+[.)])\s+/g, (found, space: string) => (space.includes('\n') ? ': ' : found))
    .replace(/\n[ \t]*[-*•]\s+(?!(?:ask|tell|say|if|when|then)\b)/gi, ', ')
  return joined
    .split('\n')
    .flatMap((line) => splitSentences(line.replace(/^(?:#+|>|\d+[.)]|[-*•])\s*/, '').replaceAll('**', '')))
    .map((sentence) => sentence.replace(/: ,\s*/, ': '))
    .filter((sentence) => /\p{L}/u.test(sentence))
    .slice(0, 60)
}

const nothing: Instructed = { text: null, repeated: null, farewell: false, complete: false, leads: false }

/** A prompt of one passage is a step when it is nothing but a short instruction: no role, no facts. */
function isBareInstruction(text: string, sentences: readonly string[]): boolean {
  return (
    text.length <= 800 &&
    !/(?:^|\n)#|\byou(?:'re| are) (?:an? |the |[A-Z])|\byou work\b/.test(text) &&
    actsOf(sentences[0] ?? '').length > 0
  )
}

/** Says what the present step wants said and was not said yet: statements first, then one question. */
export function performStep(reading: ConversationReading, knowledge: Knowledge): Instructed {
  const step = presentStep(reading.systems)
  const sentences = sentencesOf(step.text)
  if (step.alone && !isBareInstruction(step.text, sentences)) return nothing
  const written = step.verbatim || (!step.alone && isSpokenText(step.text, sentences))
  if (written) {
    const all = sentences.map(asSentence)
    const open = all.filter((sentence) => !wasSaid(sentence, reading) || (step.verbatim && sentence.endsWith('?')))
    const justSaid = reading.current === null && all.every((sentence) => reading.lastSaid.includes(sentence))
    const spoken = justSaid ? [] : open.length > 0 ? open : all
    const repeated = all.findLast((one) => one.endsWith('?') && reading.current?.asked.endsWith(one) === true) ?? null
    return {
      ...nothing,
      text: step.verbatim || open.length > 0 ? shorten(spoken.join(' '), 1_500) || null : null,
      repeated: open.length > 0 ? null : repeated,
      leads: true,
    }
  }
  const acts: Act[] = []
  let held: boolean | null = null
  for (const sentence of sentences) {
    const stated = conditional.exec(sentence)
    const otherwise = contrary.exec(sentence)?.[1]
    if (otherwise !== undefined && held === false) acts.push(...actsOf(otherwise))
    if (otherwise !== undefined) continue
    if (stated !== null) {
      held = chooseWay([{ id: '', condition: stated[1] ?? '' }], reading) !== null
      if (held && !/^(?:do not|don't|never)\b/i.test(stated[2] ?? '')) acts.push(...actsOf(stated[2] ?? ''))
    } else acts.push(...actsOf(sentence))
  }
  return performActs(acts, reading, knowledge)
}

/** A passage that speaks to the user itself: no instruction, no fact for later. */
function isSpokenText(text: string, sentences: readonly string[]): boolean {
  return (
    text.length <= 300 &&
    !/^[#|>*-]|\n|\{\{/.test(text) &&
    (/\byour\b/i.test(text) || text.endsWith('?')) &&
    sentences.every((one) => one.endsWith('?') || (!isInstruction(one) && actsOf(one).length === 0)) &&
    !/^you(?:'re| are)\b/i.test(text)
  )
}

function wasSaid(text: string, { said }: ConversationReading): boolean {
  return said.some((earlier) => earlier.includes(text))
}

function performActs(acts: readonly Act[], reading: ConversationReading, knowledge: Knowledge): Instructed {
  const parts: string[] = []
  let repeated: string | null = null
  for (const act of acts) {
    const text = wordsFor(act, reading, knowledge)
    if (text === null) continue
    const asks = text.endsWith('?')
    if (wasSaid(text, reading)) {
      if (asks && reading.current?.asked.endsWith(text) === true) repeated = text
      // What is still not known is asked for again; the rest was said.
      if (act.type !== 'collect' || repeated === null) continue
      break
    }
    parts.push(text)
    if (asks) break
  }
  const greetsOnly = acts[0]?.type === 'greet' && parts[0] === 'Hello!'
  const text =
    parts.length === 0 || (greetsOnly && parts.length === 1 && reading.said.length > 0) ? null : parts.join(' ')
  const farewell = acts.some(({ type }) => type === 'farewell')
  const complete = text === null && repeated === null && acts.some(({ type }) => type === 'collect')
  return { text, repeated, farewell, complete, leads: acts.length > 0 }
}

function wordsFor(act: Act, reading: ConversationReading, knowledge: Knowledge): string | null {
  switch (act.type) {
    case 'say':
    case 'ask':
    case 'farewell':
      return act.text
    case 'collect':
      return askListed(act.phrase, reading.exchanges, knowledge.today)
    case 'summarise':
      return summarise(act.details, reading)
    case 'tell':
      return tellAbout(act.topic, reading, knowledge)
    case 'greet':
      return reading.said.length > 0
        ? null
        : knowledge.identity.introduction === null
          ? 'Hello!'
          : `Hello! ${knowledge.identity.introduction}`
    case 'introduce':
      return knowledge.identity.introduction ?? composeGreeting(knowledge.identity, false)
  }
}

function tellAbout(topic: string, reading: ConversationReading, knowledge: Knowledge): string | null {
  const result = reading.freshResults.at(-1)?.content ?? reading.earlierResults[0]
  if (result !== undefined) return describeResult(result, topic).text
  const answer = answerFromFacts(topic, '', knowledge.indexes)
  if (answer !== null && answer.coverage >= 0.45) return answer.text
  return answerFromPassages(topic, '', reading.passages ?? [])?.text ?? null
}

/** The details as the instruction has them, else the values that the user told. */
function summarise(details: string, reading: ConversationReading): string {
  if (details !== '') return `To confirm: ${trimEndMarks(details, '.!')}. Is that correct?`
  const told = new Map<string, string>()
  for (const { said } of reading.exchanges) {
    const values = extractValues(said, null)
    const found: readonly (readonly [string, string | undefined | null])[] = [
      ['name', values.name],
      ['date', values.dates[0]?.text],
      ['time', values.times[0]?.text.replace(/^(?:at|by|from|around) /i, '')],
      ['reference', values.references[0]],
      ['email', values.emails[0]],
      ['phone', values.phones[0]],
      ['address', values.address],
    ]
    for (const [kind, value] of found) if (value !== undefined && value !== null) told.set(kind, value)
  }
  return told.size === 0
    ? 'Is everything correct?'
    : `To confirm: ${joinAsSpoken([...told.values()])}. Is that correct?`
}
