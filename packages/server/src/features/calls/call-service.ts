import type { Right } from '@parley/contract/access'
import type { Call, CallSummary } from '@parley/contract/call'
import type { CallHistoryItem } from '@parley/contract/call-history'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { isLive } from '../../tables/call-tables.ts'
import { checkCall } from './call-access.ts'
import type { CallEvents } from './call-events.ts'
import { type CallFilter, type CallPageIds, offsetOf, type PageNumber } from './call-filter.ts'
import { readCallIds } from './call-pages.ts'
import { type StoredCall, toCall } from './call-responses.ts'
import { scanCalls } from './call-scan.ts'
import { chooseSearch } from './call-search.ts'
import { findCall, readHistoryItems, readSummaries, removeCall, setArchived } from './call-store.ts'
import { countCalls } from './call-totals.ts'
import { type CallJoinLinks, NO_JOIN_LINK } from './creating/call-join-links.ts'
import { transcriptOf } from './records/call-stats.ts'
import { readEvents } from './records/event-store.ts'
import { readSearchTerm } from './search-term.ts'
import type { CallEnder } from './states/call-ender.ts'

export interface CallServiceDependencies {
  readonly database: Pick<Database, 'read' | 'transaction' | 'capabilities'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly joinLinks: CallJoinLinks
  readonly events: Pick<CallEvents, 'removed'>
  readonly callEnder: Pick<CallEnder, 'end'>
}

/** One page of a list of calls; `total` counts those of all pages. */
export interface CallPage<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

export interface CallService {
  list(actor: Actor, filter: CallFilter, page: PageNumber): Promise<CallPage<CallSummary>>
  /** `search` is text that the call must have somewhere; blanks alone are none. */
  history(filter: CallFilter, search: string, page: PageNumber): Promise<CallPage<CallHistoryItem>>
  /** `right`: what the actor needs to be told. */
  get(actor: Actor, callId: string, right?: Right): Promise<Call>
  /** The call for systems that are told of it, without what lets anybody in; `null` when it is gone. */
  describe(callId: string): Promise<Call | null>
  archive(actor: Actor, callId: string, archived: boolean): Promise<Call>
  remove(actor: Actor, callId: string): Promise<void>
}

export function createCallService(dependencies: CallServiceDependencies): CallService {
  const { database, clock, joinLinks, events, callEnder } = dependencies
  const { read } = database
  const { findPage, search } = createCallFinder(database)

  /** The call with what was said so far, without the wait for a caller who did not come. */
  async function readCurrent(row: StoredCall): Promise<StoredCall> {
    const { call_id: callId, status, expires_at } = row
    if (status === 'ongoing') return { ...row, transcript: transcriptOf(await readEvents(read, callId)) }
    if (status !== 'registered' || expires_at === null || expires_at > clock.now()) return row
    if (row.token_used_at !== null) return row
    await callEnder.end(row, { reason: 'registered_call_timeout', endedAtMs: expires_at })
    return (await findCall(read, callId)) ?? row
  }

  return {
    async list(actor, filter, page) {
      const [{ ids, total }, links] = await Promise.all([findPage(filter, page), joinLinks.forActor(actor)])
      return { items: await readSummaries(read, ids, links), total }
    },

    async history(filter, text, page) {
      const { ids, total } = await search(filter, text, page)
      return { items: await readHistoryItems(read, ids, await joinLinks.recordings()), total }
    },

    async get(actor, callId, right = 'read') {
      const call = checkCall(actor, right, callId, await findCall(read, callId))
      return toCall(await readCurrent(call), await joinLinks.forActor(actor))
    },

    async describe(callId) {
      const call = await findCall(read, callId)
      if (call === null) return null
      return toCall(await readCurrent(call), {
        getJoinLink: () => NO_JOIN_LINK,
        getRecordingUrl: await joinLinks.recordings(),
      })
    },

    async archive(actor, callId, archived) {
      const links = await joinLinks.forActor(actor)
      return await database.transaction(async (transaction) => {
        checkCall(actor, 'calls', callId, await findCall(transaction, callId))
        await setArchived(transaction, callId, { archived, now: clock.now() })
        return toCall(checkCall(actor, 'calls', callId, await findCall(transaction, callId)), links)
      })
    },

    async remove(actor, callId) {
      await database.transaction(async (transaction) => {
        const call = checkCall(actor, 'admin', callId, await findCall(transaction, callId))
        if (isLive(call)) {
          throw new AppError('in_use', `The call is ${call.status}. It can be deleted when it is over.`)
        }
        await removeCall(transaction, callId)
        for (const { query } of events.removed(call)) await transaction.executeQuery(query)
      })
    },
  }
}

/** Finds the calls of a page. */
function createCallFinder({ read, capabilities }: Pick<Database, 'read' | 'capabilities'>) {
  const searchIndex = chooseSearch(capabilities)

  async function findPage(filter: CallFilter, page: PageNumber): Promise<CallPageIds> {
    const total = await countCalls(read, filter)
    const offset = offsetOf(page)
    if (offset >= total) return { ids: [], total }
    return { ids: await readCallIds(read, filter, { limit: page.limit, offset }), total }
  }

  async function search(filter: CallFilter, text: string, page: PageNumber): Promise<CallPageIds> {
    const term = readSearchTerm(text)
    if (term.kind === 'everything') return await findPage(filter, page)
    if (term.kind === 'nothing') return { ids: [], total: 0 }
    if (term.kind === 'short') return await scanCalls(read, filter, term.text, page)
    return await searchIndex(read, filter, term, page)
  }

  return { findPage, search }
}
