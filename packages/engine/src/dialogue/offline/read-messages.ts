import type { Passage } from '@parley/contract/knowledge-passage'
import type { JsonObject, ModelMessage, ModelToolCall } from '../../ports.ts'
import { UNPROMPTED_INSTRUCTIONS } from '../unprompted.ts'
import { isObject } from './schema-fields.ts'

/** What the user said, with what the agent had said before it. */
export interface Exchange {
  readonly asked: string
  readonly said: string
  /** How many tool calls had been made before. */
  readonly callsBefore: number
}

/** A call that was made, with what it was made with. */
export interface EarlierCall {
  readonly name: string
  readonly args: JsonObject
}

/** The messages of a request, sorted by what they are for. */
export interface ConversationReading {
  readonly systems: readonly string[]
  /** Found in knowledge bases for what was said last, best first; `null` when nothing was searched. Data, never instructions. */
  readonly passages: readonly Passage[] | null
  /** The newest up to 60, oldest first. */
  readonly exchanges: readonly Exchange[]
  /** `null` when nobody said anything since the agent spoke last. */
  readonly current: Exchange | null
  /** Results that no answer followed yet. */
  readonly freshResults: readonly { readonly name: string; readonly content: string }[]
  /** Results of earlier turns, newest first, at most five. */
  readonly earlierResults: readonly string[]
  /** Tools called since the user spoke. */
  readonly calledThisTurn: readonly string[]
  /** The same calls with what came of them; '' for one without a result. */
  readonly outcomesThisTurn: readonly (EarlierCall & { readonly result: string })[]
  /** Another agent has taken over since the user spoke, and speaks now. */
  readonly handedOver: boolean
  readonly callCount: number
  /** The newest up to 100, oldest first. */
  readonly calls: readonly EarlierCall[]
  /** The newest call that was not carried out, since the user has to agree first; `null` when none waits. */
  readonly awaiting: EarlierCall | null
  readonly lastSaid: string
  /** What came in from outside and is to be told to the user now; `null` when nothing is. */
  readonly news: string | null
  /** What the agent said, newest up to 200, one text each. */
  readonly said: readonly string[]
}

const rememberedExchanges = 60
const rememberedCalls = 100

/** Whether a result says that nothing was done yet and the user has to agree to it. */
export function asksForAgreement(content: string): boolean {
  const start = content.slice(0, 600)
  return (
    /\b(?:needs?|requires?|await(?:s|ing)|waits? for|without|pending)\b.{0,30}\b(?:agreement|approval|consent|confirmation|permission)\b/i.test(
      start,
    ) && /\b(?:user|customer|caller)\b/i.test(start)
  )
}

function readCall({ name, argumentsText }: ModelToolCall): EarlierCall {
  try {
    const args = JSON.parse(argumentsText) as unknown
    return { name, args: isObject(args) ? args : {} }
  } catch {
    return { name, args: {} }
  }
}

/** What the result of a hand-over says when another agent has taken over: nothing that the user has to hear. */
function saysHandedOver(content: string): boolean {
  return /^the conversation was handed over\b/i.test(content)
}

/** What was read so far. */
interface Progress {
  readonly systems: string[]
  passages: readonly Passage[] | null
  readonly exchanges: Exchange[]
  readonly said: string[]
  earlierResults: string[]
  freshResults: { readonly name: string; readonly content: string }[]
  calledThisTurn: string[]
  outcomes: (EarlierCall & { readonly id: string; readonly result: string })[]
  handedOver: boolean
  callCount: number
  calls: (EarlierCall & { readonly id: string })[]
  awaiting: EarlierCall | null
  /** What the agent said since the user spoke; '' when nothing. */
  asked: string
  current: Exchange | null
  news: string | null
}

/** Sorts the messages in one pass; system messages after the conversation began count like those before. */
export function readMessages(messages: readonly ModelMessage[]): ConversationReading {
  const progress: Progress = {
    systems: [],
    passages: null,
    exchanges: [],
    said: [],
    earlierResults: [],
    freshResults: [],
    calledThisTurn: [],
    outcomes: [],
    handedOver: false,
    callCount: 0,
    calls: [],
    awaiting: null,
    asked: '',
    current: null,
    news: null,
  }
  for (const message of messages) readMessage(progress, message)
  const { exchanges, outcomes, asked, said, ...reading } = progress
  return {
    ...reading,
    exchanges: exchanges.slice(-rememberedExchanges),
    outcomesThisTurn: outcomes,
    lastSaid: asked === '' ? (reading.current?.asked ?? '') : asked,
    said: said.slice(-200),
  }
}

function readMessage(progress: Progress, message: ModelMessage): void {
  switch (message.role) {
    case 'system':
      // Quoted documents are no prompt: what they say as orders is not read at all.
      if (message.passages !== undefined) progress.passages = message.passages
      else if (message.content === UNPROMPTED_INSTRUCTIONS.told) progress.news = progress.systems.at(-1) ?? null
      else progress.systems.push(message.content)
      return
    case 'user':
      readUser(progress, message.content)
      return
    case 'assistant':
      readAgent(progress, message)
      return
    case 'tool':
      readResult(progress, message)
      return
  }
}

function readUser(progress: Progress, content: string): void {
  const { current, asked, exchanges, callCount } = progress
  settleResults(progress)
  progress.calledThisTurn = []
  progress.outcomes = []
  progress.handedOver = false
  // Several messages in a row are one thing said in pieces.
  const goesOn = current !== null && asked === ''
  if (goesOn) exchanges.pop()
  const said = goesOn
    ? { ...current, said: `${current.said}\n${content}` }
    : { asked, said: content, callsBefore: callCount }
  progress.current = said
  progress.asked = ''
  exchanges.push(said)
}

function readAgent(progress: Progress, { content, toolCalls }: Extract<ModelMessage, { role: 'assistant' }>): void {
  progress.callCount += toolCalls.length
  if (toolCalls.length > 0) {
    const made = toolCalls.map((one) => ({ id: one.id, ...readCall(one) }))
    progress.calls = [...progress.calls, ...made].slice(-rememberedCalls)
    const outcomes = made.map((one) => ({ ...one, result: '' }))
    progress.outcomes = [...progress.outcomes, ...outcomes].slice(-rememberedCalls)
    progress.awaiting = null
  }
  progress.calledThisTurn.push(...toolCalls.map((call) => call.name))
  if (content.trim() === '') return
  progress.asked = content.trim()
  progress.said.push(progress.asked)
  if (toolCalls.length > 0) return
  progress.current = null
  settleResults(progress)
}

function readResult(progress: Progress, message: Extract<ModelMessage, { role: 'tool' }>): void {
  const { toolCallId, name, content } = message
  if (saysHandedOver(content)) progress.handedOver = true
  else progress.freshResults.push({ name, content })
  progress.outcomes = progress.outcomes.map((one) => (one.id === toolCallId ? { ...one, result: content } : one))
  const made = asksForAgreement(content) ? progress.calls.findLast(({ id }) => id === toolCallId) : undefined
  if (made !== undefined) progress.awaiting = { name: made.name, args: made.args }
}

/** Results that an answer or another message of the user follows are of earlier turns. */
function settleResults(progress: Progress): void {
  const settled = progress.freshResults.map(({ content }) => content).reverse()
  progress.earlierResults = [...settled, ...progress.earlierResults].slice(0, 5)
  progress.freshResults = []
}
