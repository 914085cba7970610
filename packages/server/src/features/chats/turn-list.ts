import type { ChatTurn, Decision } from '@parley/contract/chat-turn'
import type { Reader } from '../../kernel/database.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/paging.ts'
import type { TurnRow } from '../../kernel/tables/chat-tables.ts'

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
