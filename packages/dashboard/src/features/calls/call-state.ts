import type { ValueOf } from '../../lib/api/request.ts'

/** A call as its page has it. */
export type ShownCall = ValueOf<'getCall'>['call']

const LIVE_EVERY_MS = 5_000
const ANALYSIS_EVERY_MS = 4_000
/** So long after its end a call is expected to be analysed. */
const ANALYSIS_WITHIN_MS = 120_000

export function isLive({ status }: Pick<ShownCall, 'status'>): boolean {
  return status === 'ongoing'
}

/** Whether anything may still happen in it. */
export function isOver({ status }: Pick<ShownCall, 'status'>): boolean {
  return status !== 'ongoing' && status !== 'registered'
}

/** How often a call that was read at a time is read again: often while it lives, and until it was analysed. */
export function readAgainMs(call: ShownCall | undefined, readAtMs: number): number | false {
  if (call === undefined) return false
  if (!isOver(call)) return LIVE_EVERY_MS
  if (call.status !== 'ended' || call.endedAt === null || call.summary !== null) return false
  return readAtMs - Date.parse(call.endedAt) < ANALYSIS_WITHIN_MS ? ANALYSIS_EVERY_MS : false
}
