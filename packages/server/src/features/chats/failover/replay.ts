import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame } from '../../../kernel/api/implement.ts'

/**
 * How a message that broke off goes on: readers keep its words while the model repeats them, and are told to forget them at
 * the first difference. Pure decisions.
 */

/** A message that was published in part and is generated again. */
export interface Replay {
  /** What readers have of it. */
  readonly published: string
  /** What the model has said again. */
  readonly repeated: string
}

/** What is to be published, and what is still to be compared; null once everything is published as it comes. */
export interface ReplayStep {
  readonly events: readonly TurnStreamEvent[]
  readonly replay: Replay | null
}

/** Takes the next words of the new text. */
export function replayText({ published, repeated }: Replay, words: string): ReplayStep {
  const text = repeated + words
  if (published.startsWith(text)) return { events: [], replay: { published, repeated: text } }
  if (text.startsWith(published)) return { events: [delta(text.slice(published.length))], replay: null }
  return { events: [RESTARTED, delta(text)], replay: null }
}

/** The message ends, or there is none: readers who have more than it says forget it. */
export function endReplay({ published, repeated }: Replay): readonly TurnStreamEvent[] {
  if (published === repeated) return []
  return repeated === '' ? [RESTARTED] : [RESTARTED, delta(repeated)]
}

/**
 * What tells readers where the turn goes on. They may have seen words of the message under way that are not on record, so
 * it starts again with those that are.
 */
export function restartMessage(text: string): readonly TurnStreamEvent[] {
  return text === '' ? [RESTARTED] : [RESTARTED, delta(text)]
}

/** What is on record of the events of a turn. */
export interface Published {
  /** Words of the message under way. */
  readonly text: string
  readonly messageIds: ReadonlySet<string>
  readonly toolCallIds: ReadonlySet<string>
}

export function readPublished(frames: readonly StreamFrame[]): Published {
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

/** Publishes messages that were stored and never published; `text` is what readers then have of the message under way. */
export function publishMissed(
  published: Published,
  messages: readonly ChatMessage[],
): { readonly events: readonly TurnStreamEvent[]; readonly text: string } {
  const events: TurnStreamEvent[] = []
  let { text } = published
  for (const message of messages) {
    if (published.messageIds.has(message.message_id)) continue
    if (message.role === 'assistant') {
      events.push(...completeText(text, message.content))
      text = ''
      for (const call of message.tool_calls) {
        if (published.toolCallIds.has(call.id)) continue
        const { name, arguments: callArguments } = call.function
        events.push({ event: 'tool.call', data: { tool_call_id: call.id, name, arguments: callArguments } })
      }
    }
    events.push({ event: 'message.completed', data: { message } })
  }
  return { events, text }
}

function completeText(published: string, text: string): readonly TurnStreamEvent[] {
  if (text === '') return endReplay({ published, repeated: '' })
  const { events, replay } = replayText({ published, repeated: '' }, text)
  return replay === null ? events : endReplay(replay)
}

const RESTARTED: TurnStreamEvent = { event: 'message.restarted', data: {} }

function delta(text: string): TurnStreamEvent {
  return { event: 'message.delta', data: { text } }
}
