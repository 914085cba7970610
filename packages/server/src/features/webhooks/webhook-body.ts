import type { WebhookEventName } from '@parley/contract/webhook-event'

/** Most bytes of a body: what a receiver's limit may be, and what is kept for each event. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024
/** Of the room for what was said, the part that the transcript may take, which repeats the messages. */
const TRANSCRIPT_RATIO = 0.25

export interface BodyHead {
  readonly event: WebhookEventName
  readonly eventId: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The body of an event as it is sent: `{event, event_id, created_at, …}` with what it is about. Should that be too large, the
 * oldest messages and lines of the transcript are left out, and `truncated` says so.
 */
export function printBody(head: BodyHead, subject: Fields, limitBytes = BODY_LIMIT_BYTES): string {
  const { event, eventId, createdAt } = head
  const fields = { event, event_id: eventId, created_at: new Date(createdAt).toISOString() }
  const fullBody = JSON.stringify({ ...fields, ...subject })
  if (Buffer.byteLength(fullBody) <= limitBytes) return fullBody
  const withoutConversations = mapConversations(subject, () => ({ messages: [], transcript: '' }))
  const baseBody = JSON.stringify({ ...fields, truncated: true, ...withoutConversations })
  const availableBytes = Math.max(0, limitBytes - Buffer.byteLength(baseBody))
  return JSON.stringify({
    ...fields,
    truncated: true,
    ...mapConversations(subject, (conversation) => shorten(conversation, availableBytes)),
  })
}

interface Conversation {
  /** `null`: the transcript is all there is. */
  readonly messages: readonly unknown[] | null
  readonly transcript: string
}

/** Replaces what was said in each part of the subject that has messages or a transcript. */
function mapConversations(subject: Fields, change: (conversation: Conversation) => Conversation): Fields {
  return Object.fromEntries(
    Object.entries(subject).map(([name, value]) => {
      if (typeof value !== 'object' || value === null) return [name, value]
      const { messages, transcript } = value as { readonly messages?: unknown; readonly transcript?: unknown }
      const hasMessages = Array.isArray(messages)
      const hasTranscript = typeof transcript === 'string'
      if (!hasMessages && !hasTranscript) return [name, value]
      const changed = change({
        messages: hasMessages ? messages : null,
        transcript: hasTranscript ? transcript : '',
      })
      return [
        name,
        {
          ...value,
          ...(hasMessages && { messages: changed.messages }),
          ...(hasTranscript && { transcript: changed.transcript }),
        },
      ]
    }),
  )
}

function shorten({ messages, transcript }: Conversation, availableBytes: number): Conversation {
  const ratio = messages === null ? 1 : TRANSCRIPT_RATIO
  const shortenedTranscript = newestWithin(transcript.split('\n'), availableBytes * ratio).join('\n')
  return {
    messages: messages && newestWithin(messages, availableBytes - jsonBytes(shortenedTranscript)),
    transcript: shortenedTranscript,
  }
}

function newestWithin<Item>(items: readonly Item[], availableBytes: number): Item[] {
  let usedBytes = 0
  let first = items.length
  while (first > 0) {
    // With the comma between two.
    usedBytes += jsonBytes(items[first - 1]) + 1
    if (usedBytes > availableBytes) break
    first -= 1
  }
  return items.slice(first)
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null')
}
