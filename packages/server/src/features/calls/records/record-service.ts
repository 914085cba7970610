import type { CallEvent } from '@parley/contract/call-event'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { EventStream } from '../../../kernel/api/implement.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import { checkCall, findCall } from '../call-store.ts'
import type { CallFollowers } from './call-follower.ts'
import { buildTranscript } from './call-stats.ts'
import { readEvents } from './event-store.ts'

/** Provides call events for API clients. */
export interface RecordService {
  getTranscript(
    actor: Actor,
    callId: string,
  ): Promise<{ readonly transcript: string; readonly entries: readonly CallEvent[] }>
  /** Streams the events after the given number, then live events. */
  follow(
    actor: Actor,
    callId: string,
    lastEventId: number,
  ): Promise<{ readonly workspaceId: number; readonly stream: EventStream }>
}

export function createRecordService({
  database,
  followers,
}: {
  readonly database: Pick<Database, 'read'>
  readonly followers: Pick<CallFollowers, 'follow'>
}): RecordService {
  const { read } = database
  return {
    async getTranscript(actor, callId) {
      const call = checkCall(actor, 'read', callId, await findCall(read, callId))
      const entries = await readEvents(read, callId)
      // The stored transcript of an ended call respects its storage policy.
      return { transcript: call.status === 'ongoing' ? buildTranscript(entries) : call.transcript, entries }
    },

    async follow(actor, callId, lastEventId) {
      const { workspace_id: workspaceId } = checkCall(actor, 'read', callId, await findCall(read, callId))
      return { workspaceId, stream: followers.follow(callId, lastEventId) }
    },
  }
}
