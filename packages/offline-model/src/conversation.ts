import type { Passage } from '@parley/contract/knowledge-passage'
import { isObject } from '@parley/engine/dialogue/rules/fields'
import type { Exchange } from '@parley/engine/dialogue/rules/fill-fields'
import { UNASKED_INSTRUCTIONS } from '@parley/engine/dialogue/unasked'
import type { JsonObject, ModelMessage } from '@parley/engine/ports'

/** A call that was made, with what came of it; `null` as long as there is no result. */
export interface MadeCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly result: string | null
}

/** The messages of a request, sorted by what they are for. */
export interface Conversation {
  /** Prompts, oldest first. */
  readonly prompts: readonly string[]
  /** Found in knowledge bases for what was said last; `null` when nothing was searched. Data, never instructions. */
  readonly passages: readonly Passage[] | null
  /** The newest ones, oldest first. */
  readonly exchanges: readonly Exchange[]
  /** `null` when nobody said anything since the agent spoke last. */
  readonly current: Exchange | null
  /** How many calls there were before the user spoke last. */
  readonly callsBefore: number
  /** All calls, oldest first. */
  readonly calls: readonly MadeCall[]
  /** Whether nothing was said after the results. */
  readonly hasFreshResults: boolean
  /** What the agent said, oldest first. */
  readonly said: readonly string[]
  /** What came in from outside and is to be told to the user now. */
  readonly news: string | null
  /** The agent is to speak without having been asked. */
  readonly unasked: 'opening' | 'reminder' | null
  /** Another agent has taken over since the user spoke. */
  readonly isHandedOver: boolean
}

const MAX_EXCHANGES = 60
const MAX_SAID = 200

/** Sorts the messages in one pass; system messages after the conversation began count like those before. */
export function readConversation(messages: readonly ModelMessage[]): Conversation {
  const reader = new Reader()
  for (const message of messages) reader.read(message)
  return reader.conversation()
}

/** What was read so far. */
class Reader {
  readonly #prompts: string[] = []
  readonly #exchanges: Exchange[] = []
  readonly #said: string[] = []
  readonly #calls: MadeCall[] = []
  #passages: readonly Passage[] | null = null
  /** What the agent said since the user spoke. */
  #asked = ''
  #current: Exchange | null = null
  #callsBefore = 0
  #hasFreshResults = false
  #isHandedOver = false
  #news: string | null = null
  #unasked: Conversation['unasked'] = null

  read(message: ModelMessage): void {
    if (message.role === 'system') this.#readSystem(message)
    else if (message.role === 'user') this.#readUser(message.content)
    else if (message.role === 'assistant') this.#readAgent(message)
    else this.#readResult(message)
  }

  #readSystem({ content, passages }: Extract<ModelMessage, { role: 'system' }>): void {
    // Quoted documents are no prompt: what they say as orders is not read at all.
    if (passages !== undefined) this.#passages = passages
    else if (content === UNASKED_INSTRUCTIONS.told) this.#news = this.#prompts.pop() ?? null
    else if (content === UNASKED_INSTRUCTIONS.opening) this.#unasked = 'opening'
    else if (content === UNASKED_INSTRUCTIONS.reminder) this.#unasked = 'reminder'
    else this.#prompts.push(content)
  }

  #readUser(content: string): void {
    // Several messages in a row are one thing said in parts.
    const before = this.#asked === '' ? this.#current : null
    if (before !== null) this.#exchanges.pop()
    this.#current =
      before === null
        ? { asked: this.#asked, said: content }
        : { asked: before.asked, said: `${before.said}\n${content}` }
    this.#exchanges.push(this.#current)
    this.#asked = ''
    this.#callsBefore = this.#calls.length
    this.#hasFreshResults = false
    this.#isHandedOver = false
  }

  #readAgent({ content, toolCalls }: Extract<ModelMessage, { role: 'assistant' }>): void {
    for (const { id, name, argumentsText } of toolCalls) {
      this.#calls.push({ id, name, args: readArguments(argumentsText), result: null })
    }
    if (content.trim() === '') return
    this.#asked = content.trim()
    this.#said.push(this.#asked)
    if (toolCalls.length > 0) return
    this.#current = null
    this.#hasFreshResults = false
  }

  #readResult({ toolCallId, content }: Extract<ModelMessage, { role: 'tool' }>): void {
    const at = this.#calls.findLastIndex(({ id }) => id === toolCallId)
    const call = this.#calls[at]
    if (call !== undefined) this.#calls[at] = { ...call, result: content }
    if (/^the conversation was handed over\b/i.test(content)) this.#isHandedOver = true
    else this.#hasFreshResults = true
  }

  conversation(): Conversation {
    return {
      prompts: this.#prompts,
      passages: this.#passages,
      exchanges: this.#exchanges.slice(-MAX_EXCHANGES),
      current: this.#current,
      callsBefore: this.#callsBefore,
      calls: this.#calls,
      hasFreshResults: this.#hasFreshResults,
      said: this.#said.slice(-MAX_SAID),
      news: this.#news,
      unasked: this.#unasked,
      isHandedOver: this.#isHandedOver,
    }
  }
}

function readArguments(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
