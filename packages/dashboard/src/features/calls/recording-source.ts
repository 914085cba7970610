import type { Call } from '@parley/contract/call'
import { addressOf } from '../../lib/api/request.ts'

export const CHANNELS = ['mixed', 'stereo', 'caller', 'agent'] as const
export type RecordingChannel = (typeof CHANNELS)[number]

/** Where the sound of a call is, or why there is none. */
export type RecordingState = 'here' | 'elsewhere' | 'live' | 'never-began' | 'not-stored' | 'none'

type Recorded = Pick<Call, 'callId' | 'status' | 'startedAt' | 'recordingUrl' | 'optOutSensitiveDataStorage'>

export function recordingStateOf(call: Recorded): RecordingState {
  if (call.status === 'registered' || call.status === 'ongoing') return 'live'
  if (call.recordingUrl !== null) return isOurs(call, call.recordingUrl) ? 'here' : 'elsewhere'
  if (call.startedAt === null) return 'never-began'
  return call.optOutSensitiveDataStorage ? 'not-stored' : 'none'
}

/** Whether a link is one to the recording that this server keeps. */
function isOurs({ callId }: Recorded, link: string): boolean {
  return URL.canParse(link) && new URL(link).pathname.endsWith(recordingPath(callId))
}

const recordingPath = (callId: string): string => addressOf('getCallRecording', { path: { callId } })

/**
 * The address of a recording of this server for the page itself. The login opens it; the link that calls carry lapses, and may
 * name another host than the one that the person came by.
 */
export function recordingAddress(callId: string, channel: RecordingChannel): string {
  return addressOf('getCallRecording', { path: { callId }, query: { channel } })
}

/** A link out of data that may be followed; null for every other. */
export function safeLink(link: string | null): string | null {
  return link !== null && URL.canParse(link) && /^https?:$/.test(new URL(link).protocol) ? link : null
}
