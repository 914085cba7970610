import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame } from '../../../kernel/api/implement.ts'

/** A partially published message that is being regenerated. Readers discard its text if the model does not repeat it. */
export interface Replay {
  /** Text that readers have received. */
  readonly published: string
  /** Text that the model has repeated. */
  readonly repeated: string
}

/** The events to publish and the next state. `replay` is null if later text can be published directly. */
interface ReplayStep {
  readonly events: readonly TurnStreamEvent[]
  readonly replay: Replay | null
}

/** Compares the next delta of the new text with the published text. */
export function replayText({ published, repeated }: Replay, delta: string): ReplayStep {
  const text = repeated + delta
  if (published.startsWith(text)) return { events: [], replay: { published, repeated: text } }
  if (text.startsWith(published)) return { events: [createDeltaEvent(text.slice(published.length))], replay: null }
  return { events: [RESTARTED_EVENT, createDeltaEvent(text)], replay: null }
}

/** Returns the events that end a replay. They restart the message if the model did not repeat all of its text. */
export function endReplay({ published, repeated }: Replay): readonly TurnStreamEvent[] {
  if (published === repeated) return []
  return repeated === '' ? [RESTARTED_EVENT] : [RESTARTED_EVENT, createDeltaEvent(repeated)]
}

/** Creates events that restart the current message because readers may have received unrecorded text. */
export function createRestartEvents(text: string): readonly TurnStreamEvent[] {
  return text === '' ? [RESTARTED_EVENT] : [RESTARTED_EVENT, createDeltaEvent(text)]
}

/** Contents of a turn's recorded events. */
export interface PublishedEvents {
  /** Text of the current message. */
  readonly text: string
  readonly messageIds: ReadonlySet<string>
  readonly toolCallIds: ReadonlySet<string>
}

export function parsePublishedEvents(frames: readonly StreamFrame[]): PublishedEvents {
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

/** Builds the events for unpublished stored messages. Also returns the current message's text after these events. */
export function buildMissedEvents(
  published: PublishedEvents,
  messages: readonly ChatMessage[],
): { readonly events: readonly TurnStreamEvent[]; readonly text: string } {
  const events: TurnStreamEvent[] = []
  let { text } = published
  for (const message of messages) {
    if (published.messageIds.has(message.message_id)) continue
    if (message.role === 'assistant') {
      events.push(...replayWholeText(text, message.content))
      text = ''
      for (const toolCall of message.tool_calls) {
        if (published.toolCallIds.has(toolCall.id)) continue
        const { name, arguments: callArguments } = toolCall.function
        events.push({ event: 'tool.call', data: { tool_call_id: toolCall.id, name, arguments: callArguments } })
      }
    }
    events.push({ event: 'message.completed', data: { message } })
  }
  return { events, text }
}

function replayWholeText(published: string, text: string): readonly TurnStreamEvent[] {
  if (text === '') return endReplay({ published, repeated: '' })
  const { events, replay } = replayText({ published, repeated: '' }, text)
  return replay === null ? events : endReplay(replay)
}

const RESTARTED_EVENT: TurnStreamEvent = { event: 'message.restarted', data: {} }

function createDeltaEvent(text: string): TurnStreamEvent {
  return { event: 'message.delta', data: { text } }
}
