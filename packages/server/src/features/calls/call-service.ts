import type { Right } from '@parley/contract/access'
import type { Call, CallSummary } from '@parley/contract/call'
import type { CallHistoryItem } from '@parley/contract/call-history'
import type { Clock } from '@parley/engine/ports'
import { type Actor, mayInWorkspace } from '../../kernel/actor.ts'
import type { Database } from '../../kernel/database.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { toCall } from './call-answers.ts'
import { type CallFilter, type FoundCalls, offsetOf, type PageNumber } from './call-filter.ts'
import { readCallIds } from './call-pages.ts'
import { scanCalls } from './call-scan.ts'
import { chooseSearch } from './call-search.ts'
import { findCall, readHistoryItems, readSummaries, removeCall, setArchived } from './call-store.ts'
import { countCalls } from './call-totals.ts'
import { readSearchTerm } from './search-term.ts'

export interface CallServiceDependencies {
  readonly database: Pick<Database, 'read' | 'transaction' | 'capabilities'>
  readonly clock: Pick<Clock, 'now'>
}

/** One page of a list of calls; `total` counts those of all pages. */
export interface CallPage<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

export interface CallService {
  list(filter: CallFilter, page: PageNumber): Promise<CallPage<CallSummary>>
  /** `search` is text that the call must have somewhere; blanks alone are none. */
  history(filter: CallFilter, search: string, page: PageNumber): Promise<CallPage<CallHistoryItem>>
  get(actor: Actor, callId: string): Promise<Call>
  archive(actor: Actor, callId: string, archived: boolean): Promise<Call>
  remove(actor: Actor, callId: string): Promise<void>
}

/** Calls that are over: nobody writes to them any more. */
const FINAL_STATUSES: ReadonlySet<string> = new Set(['ended', 'not_connected', 'error'])

export function createCallService({ database, clock }: CallServiceDependencies): CallService {
  const { read } = database
  const searchIndex = chooseSearch(database.capabilities)

  async function findPage(filter: CallFilter, page: PageNumber): Promise<FoundCalls> {
    const total = await countCalls(read, filter)
    const offset = offsetOf(page)
    if (offset >= total) return { ids: [], total }
    return { ids: await readCallIds(read, filter, { limit: page.limit, offset }), total }
  }

  async function search(filter: CallFilter, text: string, page: PageNumber): Promise<FoundCalls> {
    const term = readSearchTerm(text)
    if (term.kind === 'everything') return await findPage(filter, page)
    if (term.kind === 'nothing') return { ids: [], total: 0 }
    if (term.kind === 'short') return await scanCalls(read, filter, term.text, page)
    return await searchIndex(read, filter, term, page)
  }

  return {
    async list(filter, page) {
      const { ids, total } = await findPage(filter, page)
      return { items: await readSummaries(read, ids), total }
    },

    async history(filter, text, page) {
      const { ids, total } = await search(filter, text, page)
      return { items: await readHistoryItems(read, ids), total }
    },

    async get(actor, callId) {
      return toCall(checkReach(actor, 'read', callId, await findCall(read, callId)))
    },

    async archive(actor, callId, archived) {
      return await database.transaction(async (transaction) => {
        checkReach(actor, 'calls', callId, await findCall(transaction, callId))
        await setArchived(transaction, callId, { archived, now: clock.now() })
        return toCall(checkReach(actor, 'calls', callId, await findCall(transaction, callId)))
      })
    },

    async remove(actor, callId) {
      await database.transaction(async (transaction) => {
        const { status } = checkReach(actor, 'admin', callId, await findCall(transaction, callId))
        if (!FINAL_STATUSES.has(status)) {
          throw new AppError('in_use', `The call is ${status}. It can be deleted when it is over.`)
        }
        await removeCall(transaction, callId)
      })
    },
  }
}

/** The workspace follows from the call: whoever does not reach it learns nothing, not even that the call exists. */
function checkReach<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  callId: string,
  row: Row | null,
): Row {
  if (row === null || !actor.workspaces.has(row.workspace_id)) throw notFound('call', callId)
  if (mayInWorkspace(actor, right, row.workspace_id)) return row
  throw new AppError('forbidden', 'This needs a higher role in the workspace of the call.')
}
