import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import { isLive } from '../../tables/call-tables.ts'

/** What a recording needs to know of its call. */
export interface RecordedCall {
  readonly call_id: string
  readonly workspace_id: number
  readonly status: string
  /** What its row tells of its sound; null when it was removed, or never was. */
  readonly recording: string | null
}

const callById = prepareQuery<{ callId: string }, RecordedCall>((reader, slot) =>
  reader
    .selectFrom('calls')
    .select(['call_id', 'workspace_id', 'status', 'recording'])
    .where('call_id', '=', slot('callId')),
)

export async function findRecordedCall(reader: Reader, callId: string): Promise<RecordedCall | null> {
  const [row] = await callById(reader, { callId })
  return row ?? null
}

/** Whether its sound may be read: what was removed is gone at once, also while it is still on its way out. */
export function isReadable(call: RecordedCall | null): call is RecordedCall {
  return call !== null && (call.recording !== null || isLive(call))
}

/** Calls of a workspace of which sound may be stored: those that somebody spoke in. */
export async function joinedCallsOf(transaction: Transaction, workspaceId: number): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('calls')
    .select('call_id')
    .where('workspace_id', '=', workspaceId)
    .where('started_at', 'is not', null)
    .execute()
  return rows.map(({ call_id }) => call_id)
}

/** The call has no recording any more. */
export async function clearRecording(
  database: Pick<Database, 'batch' | 'compile'>,
  callId: string,
  now: number,
): Promise<void> {
  const query = database.compile
    .updateTable('calls')
    .set({ recording: null, recording_url: null, updated_at: now })
    .where('call_id', '=', callId)
    .compile()
  await database.batch([{ query }])
}
