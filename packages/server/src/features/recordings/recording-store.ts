import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import { isLive } from '../../tables/call-tables.ts'

/** The parts of a call that matter for its recording. */
export interface RecordedCall {
  readonly call_id: string
  readonly workspace_id: number
  readonly status: string
  /** The recording column; null when removed or never recorded. */
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

/** Whether the audio may be read: removed recordings are inaccessible at once, before the files are deleted. */
export function isReadable(call: RecordedCall | null): call is RecordedCall {
  return call !== null && (call.recording !== null || isLive(call))
}

/** Calls of a workspace that may have audio: those that were joined. */
export async function joinedCallsOf(transaction: Transaction, workspaceId: number): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('calls')
    .select('call_id')
    .where('workspace_id', '=', workspaceId)
    .where('started_at', 'is not', null)
    .execute()
  return rows.map(({ call_id }) => call_id)
}

/** Marks the call as having no recording. */
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
