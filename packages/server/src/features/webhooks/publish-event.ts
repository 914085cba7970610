import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { MakeId } from '@parley/engine/ports'
import { BatchConflictError, type Database } from '../../kernel/storage/database.ts'
import type { JobHandler } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type Audience, decideTargets } from './decide-targets.ts'
import {
  buildDeleteEventStatement,
  buildPublishStatements,
  findPendingEvent,
  type PendingEvent,
} from './event-store.ts'
import type { ReadWebhookSubject } from './webhook-ports.ts'
import { findListeningWebhooks, type ListeningWebhook } from './webhook-store.ts'

/** Body size limit, because recipients have limits and each event is stored. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024
/** The transcript's share of the available bytes. It is small, because the transcript repeats the messages. */
const TRANSCRIPT_RATIO = 0.25

interface EventHeader {
  readonly event: WebhookEventName
  readonly eventId: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Builds the body of an event: `{event, event_id, created_at, ...subject}`. If the body exceeds the limit, drops the oldest
 * messages and transcript lines and sets `truncated`.
 */
export function formatEventBody(header: EventHeader, subject: Fields, limitBytes = BODY_LIMIT_BYTES): string {
  const { event, eventId, createdAt } = header
  const fields = { event, event_id: eventId, created_at: new Date(createdAt).toISOString() }
  const fullBody = JSON.stringify({ ...fields, ...subject })
  if (Buffer.byteLength(fullBody) <= limitBytes) return fullBody
  const withoutConversations = mapConversations(subject, () => ({ messages: [], transcript: '' }))
  const baseBody = JSON.stringify({ ...fields, truncated: true, ...withoutConversations })
  const availableBytes = Math.max(0, limitBytes - Buffer.byteLength(baseBody))
  return JSON.stringify({
    ...fields,
    truncated: true,
    ...mapConversations(subject, (conversation) => shortenConversation(conversation, availableBytes)),
  })
}

interface Conversation {
  /** Messages, or null if there is only a transcript. */
  readonly messages: readonly unknown[] | null
  readonly transcript: string
}

/** Replaces messages and transcripts in all parts of the subject. */
function mapConversations(subject: Fields, transform: (conversation: Conversation) => Conversation): Fields {
  return Object.fromEntries(
    Object.entries(subject).map(([name, value]) => {
      if (typeof value !== 'object' || value === null) return [name, value]
      const { messages, transcript } = value as { readonly messages?: unknown; readonly transcript?: unknown }
      const hasMessages = Array.isArray(messages)
      const hasTranscript = typeof transcript === 'string'
      if (!hasMessages && !hasTranscript) return [name, value]
      const newConversation = transform({
        messages: hasMessages ? messages : null,
        transcript: hasTranscript ? transcript : '',
      })
      return [
        name,
        {
          ...value,
          ...(hasMessages && { messages: newConversation.messages }),
          ...(hasTranscript && { transcript: newConversation.transcript }),
        },
      ]
    }),
  )
}

function shortenConversation({ messages, transcript }: Conversation, availableBytes: number): Conversation {
  const ratio = messages === null ? 1 : TRANSCRIPT_RATIO
  const shortenedTranscript = takeNewest(transcript.split('\n'), availableBytes * ratio).join('\n')
  return {
    messages: messages && takeNewest(messages, availableBytes - countJsonBytes(shortenedTranscript)),
    transcript: shortenedTranscript,
  }
}

function takeNewest<Item>(items: readonly Item[], availableBytes: number): Item[] {
  let usedBytes = 0
  let startIndex = items.length
  while (startIndex > 0) {
    // Includes the comma between items.
    usedBytes += countJsonBytes(items[startIndex - 1]) + 1
    if (usedBytes > availableBytes) break
    startIndex -= 1
  }
  return items.slice(startIndex)
}

function countJsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null')
}

/** Job kind for creating an event's deliveries. */
export const PUBLISH_WEBHOOK_EVENT = 'tell-webhook-event'

interface PublishEventDependencies {
  readonly database: Pick<Database, 'read' | 'queryBuilder' | 'batch'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly readSubject: ReadWebhookSubject
}

/** Job payload, written by `createWebhookEvents`. */
interface Payload extends Audience {
  readonly eventId: string
}

/** Creates the job handler that reads the subject of an event and creates one delivery per target. Idempotent. */
export function createPublishEventHandler({
  database,
  clock,
  makeId,
  readSubject,
}: PublishEventDependencies): JobHandler {
  const findEndpoints = async (event: PendingEvent): Promise<readonly ListeningWebhook[]> => {
    const webhooks = await findListeningWebhooks(database.read, event.workspaceId)
    return webhooks.filter(({ events }) => events.includes(event.event))
  }

  return {
    async run({ payload }) {
      const { eventId, endpoints, addresses } = payload as unknown as Payload
      const event = await findPendingEvent(database.read, eventId)
      if (event === null) return
      const listeningEndpoints = endpoints ? await findEndpoints(event) : []
      const targets = decideTargets(event.workspaceId, { addresses }, listeningEndpoints)
      const subject = targets.length === 0 ? null : await readSubject(event.workspaceId, event.subject, event.event)
      if (subject === null) return await database.batch([buildDeleteEventStatement(database, eventId)])
      const deliveries = targets.map((target) => ({ ...target, deliveryId: makeId('delivery') }))
      const publication = { body: formatEventBody(event, subject), deliveries, now: clock.now() }
      try {
        await database.batch(buildPublishStatements(database, event, publication))
      } catch (error) {
        // Another run of the same job has already created the deliveries.
        if (!(error instanceof BatchConflictError)) throw error
      }
    },
  }
}
