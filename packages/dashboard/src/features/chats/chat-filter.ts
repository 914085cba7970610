import type { ChatStatus } from '@parley/contract/chat'
import type { RequestParams } from '../../lib/api/request.ts'
import { readChoice, readDay, readText, removeUndefined, toDateRange } from '../../parts/transcript/search-params.ts'

export const CHAT_STATUSES = ['ongoing', 'completed', 'error'] as const satisfies readonly ChatStatus[]

/** Chat list filters in the URL. */
export interface ChatFilter {
  readonly agent?: string
  readonly status?: ChatStatus
  /** Days in the browser's time zone. */
  readonly from?: string
  readonly to?: string
  readonly search?: string
}

export function readChatFilter(search: Record<string, unknown>): ChatFilter {
  return removeUndefined({
    agent: readText(search.agent),
    status: readChoice(search.status, CHAT_STATUSES),
    from: readDay(search.from),
    to: readDay(search.to),
    search: readText(search.search),
  })
}

export function toChatQuery({ agent, status, from, to, search }: ChatFilter) {
  return {
    ...removeUndefined({ agentId: agent, status, search }),
    ...toDateRange(from, to),
  } satisfies NonNullable<RequestParams<'listChats'>['query']>
}
