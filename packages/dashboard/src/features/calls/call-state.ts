import type { ValueOf } from '../../lib/api/request.ts'

/** A call as returned by `getCall`. */
export type CallRecord = ValueOf<'getCall'>['call']

const LIVE_POLL_MS = 5_000
const ANALYSIS_POLL_MS = 4_000
const ANALYSIS_TIMEOUT_MS = 120_000

export const isLive = ({ status }: Pick<CallRecord, 'status'>): boolean => status === 'ongoing'

export const isFinished = ({ status }: Pick<CallRecord, 'status'>): boolean =>
  status !== 'ongoing' && status !== 'registered'

/** Returns the polling interval while a call is live or awaits analysis, or false. `readAtMs` is the time of the last read. */
export function getPollIntervalMs(call: CallRecord | undefined, readAtMs: number): number | false {
  if (call === undefined) return false
  if (!isFinished(call)) return LIVE_POLL_MS
  if (call.status !== 'ended' || call.endedAt === null || call.summary !== null) return false
  return readAtMs - Date.parse(call.endedAt) < ANALYSIS_TIMEOUT_MS ? ANALYSIS_POLL_MS : false
}
