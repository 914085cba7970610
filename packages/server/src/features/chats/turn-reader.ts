import type { Chat } from '@parley/contract/chat'
import type { ChatTurn, Decision } from '@parley/contract/chat-turn'
import type { Explanation } from '@parley/engine/dialogue/explanation'
import { type Page, type PageRequest, toPage } from '../../kernel/api/paging.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { TurnRow } from '../../tables/chat-tables.ts'

type RetrievedPassages = Chat['retrievedPassages']

/** A chat is returned with the passages of so many turns. */
const MAX_TURNS = 100

/** In the decisions of each turn that searched, so that the others need not be read. */
const MARK: Explanation['type'] = 'knowledge-retrieved'

/** The passages that the answers of a chat are based on, oldest turn first. */
export async function readPassages(reader: Reader, chatId: string): Promise<RetrievedPassages> {
  const turns = await reader
    .selectFrom('turns')
    .select(['turn_id', 'explanation'])
    .where('chat_id', '=', chatId)
    .where('explanation', 'like', `%"${MARK}"%`)
    .orderBy('position', 'desc')
    .limit(MAX_TURNS)
    .execute()
  return turns.reverse().flatMap(({ turn_id: turnId, explanation }) => {
    const decisions = JSON.parse(explanation) as Explanation[]
    const found = decisions.flatMap((one) => (one.type === 'knowledge-retrieved' ? one.passages : []))
    return found.map((passage) => ({ ...passage, headings: [...passage.headings], turnId }))
  })
}

/** Turns of a chat, newest first. */
export async function listTurns(reader: Reader, chatId: string, page: PageRequest): Promise<Page<ChatTurn>> {
  let query = reader.selectFrom('turns').selectAll().where('chat_id', '=', chatId)
  if (page.after !== null) query = query.where('position', '<', page.after.at)
  const rows = await query
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute()
  return toPage(rows, page.limit, toTurn, (row) => ({ at: row.position, id: row.turn_id }))
}

function toTurn(row: TurnRow): ChatTurn {
  return {
    turnId: row.turn_id,
    status: row.status as ChatTurn['status'],
    startedAt: new Date(row.started_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    firstTextMs: row.first_text_ms,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    usage: JSON.parse(row.usage) as ChatTurn['usage'],
    decisions: JSON.parse(row.explanation) as Decision[],
  }
}
