import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame } from '../../../http/implement.ts'

/**
 * How a turn that broke off is told on: readers keep the words they have been told while the new text says the same, and are
 * told to forget them at the first difference. Pure decisions.
 */

/** A message that was told in part and is said anew. */
export interface Retelling {
  /** What readers have of it. */
  readonly told: string
  /** What has been said anew. */
  readonly said: string
}

/** What is to be told, and what is still to be compared; `null` when from now on everything is told as it comes. */
export interface Retold {
  readonly events: readonly TurnStreamEvent[]
  readonly retelling: Retelling | null
}

/** Takes the next words of the new text. */
export function retell({ told, said }: Retelling, words: string): Retold {
  const text = said + words
  if (told.startsWith(text)) return { events: [], retelling: { told, said: text } }
  if (text.startsWith(told)) return { events: [delta(text.slice(told.length))], retelling: null }
  return { events: [RESTARTED, delta(text)], retelling: null }
}

/** The message ends, or there is none: readers who have been told more than it says forget it. */
export function endRetelling({ told, said }: Retelling): readonly TurnStreamEvent[] {
  if (told === said) return []
  return said === '' ? [RESTARTED] : [RESTARTED, delta(said)]
}

/** What readers have been told of a turn. */
export interface Told {
  /** Words of the message under way. */
  readonly text: string
  readonly messageIds: ReadonlySet<string>
  readonly toolCallIds: ReadonlySet<string>
}

export function readTold(frames: readonly StreamFrame[]): Told {
  let text = ''
  const messageIds = new Set<string>()
  const toolCallIds = new Set<string>()
  for (const frame of frames) {
    const event = { event: frame.event, data: JSON.parse(frame.data) } as TurnStreamEvent
    if (event.event === 'message.delta') text += event.data.text
    else if (event.event === 'message.restarted') text = ''
    else if (event.event === 'tool.call') toolCallIds.add(event.data.tool_call_id)
    else if (event.event === 'message.completed') {
      messageIds.add(event.data.message.message_id)
      if (event.data.message.role === 'assistant') text = ''
    }
  }
  return { text, messageIds, toolCallIds }
}

/** Tells of messages that were stored and never told, and says what of the told words is still open after them. */
export function catchUp(
  told: Told,
  messages: readonly ChatMessage[],
): { readonly events: readonly TurnStreamEvent[]; readonly text: string } {
  const events: TurnStreamEvent[] = []
  let { text } = told
  for (const message of messages) {
    if (told.messageIds.has(message.message_id)) continue
    if (message.role === 'assistant') {
      events.push(...tellWhole(text, message.content))
      text = ''
      for (const { id, function: called } of message.tool_calls) {
        const { name, arguments: given } = called
        if (told.toolCallIds.has(id)) continue
        events.push({ event: 'tool.call', data: { tool_call_id: id, name, arguments: given } })
      }
    }
    events.push({ event: 'message.completed', data: { message } })
  }
  return { events, text }
}

function tellWhole(told: string, text: string): readonly TurnStreamEvent[] {
  if (text === '') return endRetelling({ told, said: '' })
  const { events, retelling } = retell({ told, said: '' }, text)
  return retelling === null ? events : endRetelling(retelling)
}

const RESTARTED: TurnStreamEvent = { event: 'message.restarted', data: {} }

function delta(text: string): TurnStreamEvent {
  return { event: 'message.delta', data: { text } }
}
