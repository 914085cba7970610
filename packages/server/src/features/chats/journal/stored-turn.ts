import type { TurnStatus } from '@parley/contract/events'
import type { Reader } from '../../../kernel/storage/database.ts'
import type { TurnRow } from '../../../tables/chat-tables.ts'
import { toMessage } from '../chat-store.ts'
import type { TurnOutcome } from '../turn/turn-state.ts'
import { TurnLog } from './turn-log.ts'

/** Turns that no process holds any more, told from their rows. */

/** What a turn said so far, without the message it answers, oldest first. */
export async function readTurnRows(reader: Reader, turn: Pick<TurnRow, 'chat_id' | 'turn_id' | 'user_message_id'>) {
  return await reader
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', turn.chat_id)
    .where('turn_id', '=', turn.turn_id)
    .where('message_id', '!=', turn.user_message_id)
    .orderBy('position')
    .execute()
}

/** The events of a past turn: whole messages instead of deltas. */
export async function storedTurnLog(reader: Reader, turn: TurnRow): Promise<TurnLog> {
  const messages = (await readTurnRows(reader, turn)).map(toMessage)
  const eventCount = messages.length + (turn.error_code === null ? 2 : 3)
  const log = new TurnLog(turn.event_count - eventCount + 1)
  log.append({ event: 'turn.started', data: { turn_id: turn.turn_id } })
  for (const message of messages) log.append({ event: 'message.completed', data: { message } })
  if (turn.error_code !== null)
    log.append({ event: 'error', data: { code: turn.error_code, error: turn.error_message ?? '' } })
  log.append({ event: 'done', data: { turn_id: turn.turn_id, status: turn.status as TurnStatus } })
  log.close()
  return log
}

/** The answer of a past turn. */
export async function storedOutcome(reader: Reader, turn: TurnRow): Promise<TurnOutcome> {
  const status = turn.status as TurnOutcome['status']
  const messages = (await readTurnRows(reader, turn)).map(toMessage)
  return { status, messages, failure: status === 'failed' ? failureOf(turn) : null }
}

function failureOf({ error_code, error_message }: TurnRow): NonNullable<TurnOutcome['failure']> {
  const code = error_code === 'provider_timeout' ? error_code : 'provider_error'
  return { code, message: error_message ?? 'The model could not answer.' }
}
