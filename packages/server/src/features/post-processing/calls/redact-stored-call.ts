import type { CallEvent } from '@parley/contract/call-event'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { BatchStatement } from '../../../kernel/storage/database.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redact } from '../redaction-tasks.ts'
import type { EndedCall } from './ended-call-store.ts'

/** Lines `Agent: …` and `User: …` of what a record says. */
export type TranscriptOf = (events: readonly CallEvent[]) => string

/** Removes the sound of a call once this is committed, whatever fails meanwhile. */
export type DeleteRecording = (callId: string) => BatchStatement

/** What a policy leaves of a call. */
export interface RedactedCall {
  readonly columns: Partial<CallRow>
  /** `null`: nothing is left of the record. */
  readonly events: readonly CallEvent[] | null
  readonly analysis: ChatAnalysis
  /** Nobody can take what is personal out of sound: it is kept as a whole or not at all. */
  readonly keepsRecording: boolean
}

const NO_RECORDING = { recording: null, recording_url: null } as const

/** What of a call its policy keeps, as its rows store it. */
export async function redactStoredCall(
  ended: EndedCall,
  { policy, analysis: found }: { readonly policy: StoragePolicy; readonly analysis: ChatAnalysis },
  { redaction, transcriptOf }: { readonly redaction: RedactionRunner; readonly transcriptOf: TranscriptOf },
): Promise<RedactedCall> {
  const task = { kind: 'storedCall', ended, policy, analysis: found } as const
  const words = await redact(redaction, ended.call.workspace_id, task)
  const { variables, events, transcript, analysis } = words
  if (policy.setting === 'everything') return { columns: {}, events, analysis, keepsRecording: true }
  const columns = { ...NO_RECORDING, ...variables, transcript: transcript ?? transcriptOf(events ?? []) }
  return { columns, events, analysis, keepsRecording: false }
}
