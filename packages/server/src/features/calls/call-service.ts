import type { Right } from '@parley/contract/access'
import type { Call, CallSummary } from '@parley/contract/call'
import type { CallHistoryItem, CallSort } from '@parley/contract/call-history'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { isLive } from '../../tables/call-tables.ts'
import { countCalls } from './call-counts.ts'
import type { CallEvents } from './call-events.ts'
import { type CallFilter, type CallPageIds, getPageOffset, type PageNumber, parseSearchTerm } from './call-filter.ts'
import { readCallIds, scanCalls } from './call-pages.ts'
import { type StoredCall, toCall } from './call-responses.ts'
import { selectSearch } from './call-search.ts'
import { checkCall, findCall, readHistoryItems, readSummaries, removeCall, setArchived } from './call-store.ts'
import { type CallJoinLinks, NO_JOIN_LINK } from './creating/call-tokens.ts'
import { buildTranscript } from './records/call-stats.ts'
import { readEvents } from './records/event-store.ts'
import type { CallEnder } from './states/call-ender.ts'

interface CallServiceDependencies {
  readonly database: Pick<Database, 'read' | 'transaction' | 'capabilities'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly joinLinks: CallJoinLinks
  readonly events: Pick<CallEvents, 'onRemoved'>
  readonly callEnder: Pick<CallEnder, 'end'>
}

/** One page of calls. `total` counts the calls on all pages. */
export interface CallPage<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

interface HistorySearch {
  readonly text: string
  readonly sort?: CallSort
}

export interface CallService {
  list(actor: Actor, filter: CallFilter, page: PageNumber): Promise<CallPage<CallSummary>>
  /** Returns a page of the calls that contain the text. Ignores surrounding whitespace. */
  searchHistory(filter: CallFilter, search: HistorySearch, page: PageNumber): Promise<CallPage<CallHistoryItem>>
  /** Returns a call. The actor must have the given right. */
  get(actor: Actor, callId: string, right?: Right): Promise<Call>
  /** Returns the call for webhooks, without join links, or `null` if the call is deleted. */
  describe(callId: string): Promise<Call | null>
  archive(actor: Actor, callId: string, archived: boolean): Promise<Call>
  remove(actor: Actor, callId: string): Promise<void>
}

export function createCallService(dependencies: CallServiceDependencies): CallService {
  const { database, clock, joinLinks, events, callEnder } = dependencies
  const { read } = database
  const { findPage, search } = createCallFinder(database)

  /** Returns the call's current row, with the transcript so far. Ends the call if its caller did not join in time. */
  async function refreshCall(row: StoredCall): Promise<StoredCall> {
    const { call_id: callId, status, expires_at } = row
    if (status === 'ongoing') return { ...row, transcript: buildTranscript(await readEvents(read, callId)) }
    if (status !== 'registered' || expires_at === null || expires_at > clock.now()) return row
    if (row.token_used_at !== null) return row
    await callEnder.end(row, { reason: 'registered_call_timeout', endedAtMs: expires_at })
    return (await findCall(read, callId)) ?? row
  }

  return {
    async list(actor, filter, page) {
      const [{ ids, total }, links] = await Promise.all([findPage(filter, page), joinLinks.createActorLinks(actor)])
      return { items: await readSummaries(read, ids, links), total }
    },

    async searchHistory(filter, historySearch, page) {
      const { ids, total } = await search(filter, historySearch, page)
      return { items: await readHistoryItems(read, ids, await joinLinks.getRecordingUrlBuilder()), total }
    },

    async get(actor, callId, right = 'read') {
      const call = checkCall(actor, right, callId, await findCall(read, callId))
      return toCall(await refreshCall(call), await joinLinks.createActorLinks(actor))
    },

    async describe(callId) {
      const call = await findCall(read, callId)
      if (call === null) return null
      return toCall(await refreshCall(call), {
        getJoinLink: () => NO_JOIN_LINK,
        getRecordingUrl: await joinLinks.getRecordingUrlBuilder(),
      })
    },

    async archive(actor, callId, archived) {
      const links = await joinLinks.createActorLinks(actor)
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
          throw new AppError('in_use', `The call is ${call.status}. End it before you delete it.`)
        }
        await removeCall(transaction, callId)
        for (const { query } of events.onRemoved(call)) await transaction.executeQuery(query)
      })
    },
  }
}

function createCallFinder({ read, capabilities }: Pick<Database, 'read' | 'capabilities'>) {
  const searchIndex = selectSearch(capabilities)

  async function findPage(filter: CallFilter, page: PageNumber): Promise<CallPageIds> {
    const total = await countCalls(read, filter)
    const offset = getPageOffset(page)
    if (offset >= total) return { ids: [], total }
    return { ids: await readCallIds(read, filter, { limit: page.limit, offset }), total }
  }

  async function search(
    filter: CallFilter,
    { text, sort = '-created' }: HistorySearch,
    page: PageNumber,
  ): Promise<CallPageIds> {
    const term = parseSearchTerm(text)
    if (term.kind === 'nothing') return { ids: [], total: 0 }
    if (sort !== '-created' || term.kind === 'short')
      return await scanCalls(read, filter, { text: text.trim(), sort }, page)
    if (term.kind === 'everything') return await findPage(filter, page)
    return await searchIndex(read, filter, term, page)
  }

  return { findPage, search }
}
