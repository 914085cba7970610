import type { CallEvent } from '@parley/contract/call-event'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { BatchStatement } from '../../../kernel/database.ts'
import type { CallRow } from '../../../kernel/tables/call-tables.ts'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import { basicAnalysis, redactAnalysis, redactorFor } from '../redaction/redact-conversation.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { NO_VARIABLES, redactVariables, variablesOf } from '../redaction/variable-columns.ts'
import type { EndedCall } from './ended-call-store.ts'
import { redactEvents, redactorForCall } from './redact-events.ts'
import { readTranscript, redactTranscript } from './redact-transcript.ts'

/** Lines `Agent: …` and `User: …` of what a record says. */
export type TranscriptOf = (events: readonly CallEvent[]) => string

/** Removes the sound of a call once this is committed, whatever fails meanwhile. */
export type ForgetRecording = (callId: string) => BatchStatement

/** What a policy leaves of a call. */
export interface RedactedCall {
  readonly columns: Partial<CallRow>
  /** `null`: nothing is left of the record. */
  readonly events: readonly CallEvent[] | null
  readonly analysis: ChatAnalysis
  /** Nobody can take what is personal out of sound: it is kept as a whole or not at all. */
  readonly keepsSound: boolean
}

const NO_SOUND = { recording: null, recording_url: null } as const

/** Takes out of a call what its policy does not keep, and lets others run meanwhile. Metadata and attributes are the customer's own and stay. */
export async function redactStoredCall(
  ended: EndedCall,
  { policy, analysis }: { readonly policy: StoragePolicy; readonly analysis: ChatAnalysis },
  transcriptOf: TranscriptOf,
): Promise<RedactedCall> {
  const { call, events } = ended
  if (policy.setting === 'everything') return { columns: {}, events, analysis, keepsSound: true }
  if (policy.setting === 'basic_attributes_only') {
    const columns = { ...NO_SOUND, ...NO_VARIABLES, transcript: '' }
    return { columns, events: null, analysis: basicAnalysis(analysis), keepsSound: false }
  }
  const redactor = await redactorOf(ended, policy)
  const redacted = await redactEvents(events, redactor)
  const columns = {
    ...NO_SOUND,
    ...redactVariables(call, redactor),
    transcript: hasWords(events) ? transcriptOf(redacted) : redactTranscript(call.transcript, redactor),
  }
  return { columns, events: redacted, analysis: redactAnalysis(analysis, redactor), keepsSound: false }
}

/** A redactor that knows what is personal in a call; of calls without a record, by their transcript. */
async function redactorOf({ call, events }: EndedCall, policy: Pick<StoragePolicy, 'categories'>): Promise<Redactor> {
  const variables = variablesOf(call)
  if (hasWords(events)) return await redactorForCall(events, variables, policy)
  return redactorFor({ messages: readTranscript(call.transcript), variables }, policy)
}

function hasWords(events: readonly CallEvent[]): boolean {
  return events.some(({ type }) => type === 'user-message' || type === 'agent-message')
}
