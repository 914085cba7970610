import type { ChatStatus } from '@parley/contract/chat'
import type { Parts } from '../../lib/api/request.ts'
import { dayIn, daysToInstants, textIn, withoutEmpty, wordIn } from '../../parts/transcript/search-words.ts'

export const CHAT_STATUSES = ['ongoing', 'completed', 'error'] as const satisfies readonly ChatStatus[]

/** What the list of chats is narrowed by, as the address has it. */
export interface ChatFilter {
  readonly agent?: string
  readonly status?: ChatStatus
  /** Days where the person is. */
  readonly from?: string
  readonly to?: string
  readonly search?: string
}

/** Reads the filter out of an address. */
export function readChatFilter(search: Record<string, unknown>): ChatFilter {
  return withoutEmpty({
    agent: textIn(search.agent),
    status: wordIn(search.status, CHAT_STATUSES),
    from: dayIn(search.from),
    to: dayIn(search.to),
    search: textIn(search.search),
  })
}

export function toChatQuery({ agent, status, from, to, search }: ChatFilter) {
  return {
    ...withoutEmpty({ agentId: agent, status, search }),
    ...daysToInstants(from, to),
  } satisfies NonNullable<Parts<'listChats'>['query']>
}
