import type { Passage } from '@parley/contract/knowledge-passage'
import type { JsonObject, ModelMessage, ModelToolCall } from '../../ports.ts'
import { UNASKED_INSTRUCTIONS } from '../unasked.ts'
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

/** Sorts the messages in one pass; system messages after the conversation began count like those before. */
export function readMessages(messages: readonly ModelMessage[]): ConversationReading {
  const systems: string[] = []
  let passages: readonly Passage[] | null = null
  const exchanges: Exchange[] = []
  const said: string[] = []
  let earlierResults: string[] = []
  let freshResults: { name: string; content: string }[] = []
  let calledThisTurn: string[] = []
  let outcomes: (EarlierCall & { readonly id: string; readonly result: string })[] = []
  let handedOver = false
  let callCount = 0
  let calls: (EarlierCall & { readonly id: string })[] = []
  let awaiting: EarlierCall | null = null
  let asked = ''
  let current = null as Exchange | null
  let news: string | null = null
  for (const message of messages) {
    // Quoted documents are no prompt: what they say as orders is not read at all.
    if (message.role === 'system' && message.passages !== undefined) passages = message.passages
    else if (message.role === 'system' && message.content === UNASKED_INSTRUCTIONS.told) news = systems.at(-1) ?? null
    else if (message.role === 'system') systems.push(message.content)
    else if (message.role === 'user') {
      earlierResults = [...freshResults.map((result) => result.content).reverse(), ...earlierResults].slice(0, 5)
      freshResults = []
      calledThisTurn = []
      outcomes = []
      handedOver = false
      // Several messages in a row are one thing said in pieces.
      if (current !== null && asked === '') {
        exchanges.pop()
        current = { ...current, said: `${current.said}\n${message.content}` }
      } else current = { asked, said: message.content, callsBefore: callCount }
      asked = ''
      exchanges.push(current)
    } else if (message.role === 'assistant') {
      callCount += message.toolCalls.length
      if (message.toolCalls.length > 0) {
        const made = message.toolCalls.map((one) => ({ id: one.id, ...readCall(one) }))
        calls = [...calls, ...made].slice(-rememberedCalls)
        outcomes = [...outcomes, ...made.map((one) => ({ ...one, result: '' }))].slice(-rememberedCalls)
        awaiting = null
      }
      calledThisTurn.push(...message.toolCalls.map((call) => call.name))
      if (message.content.trim() !== '') {
        asked = message.content.trim()
        said.push(asked)
        if (message.toolCalls.length === 0) {
          current = null
          earlierResults = [...freshResults.map((result) => result.content).reverse(), ...earlierResults].slice(0, 5)
          freshResults = []
        }
      }
    } else {
      if (saysHandedOver(message.content)) handedOver = true
      else freshResults.push({ name: message.name, content: message.content })
      outcomes = outcomes.map((one) => (one.id === message.toolCallId ? { ...one, result: message.content } : one))
      const made = asksForAgreement(message.content) ? calls.findLast(({ id }) => id === message.toolCallId) : undefined
      if (made !== undefined) awaiting = { name: made.name, args: made.args }
    }
  }
  return {
    systems,
    passages,
    exchanges: exchanges.slice(-rememberedExchanges),
    current,
    freshResults,
    earlierResults,
    calledThisTurn,
    outcomesThisTurn: outcomes,
    handedOver,
    callCount,
    calls,
    awaiting,
    lastSaid: asked === '' ? (current?.asked ?? '') : asked,
    news,
    said: said.slice(-200),
  }
}
