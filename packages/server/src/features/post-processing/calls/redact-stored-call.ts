import type { Call } from '@parley/contract/call'
import type { CallEvent } from '@parley/contract/call-event'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { readPolicy, STORE_EVERYTHING, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redact, redactOrOmit } from '../redaction-tasks.ts'
import { type EndedCall, findCallRow, readCallEvents, readStoredAnalysis } from './ended-call-store.ts'

interface WebhookCallDependencies {
  readonly database: Pick<Database, 'read'>
  /** Reads the whole call without join links, or returns null if the call was deleted. */
  readonly readCall: (callId: string) => Promise<Call | null>
  readonly transcriptOf: TranscriptOf
  readonly redaction: RedactionRunner
}

/** Fields that the analysis fills in later. */
const NO_ANALYSIS = { sentiment: null, successful: null, summary: null, customAnalysisData: {} } as const

/**
 * Creates the function that reads a call for webhooks. The result never contains more than is finally stored, and no analysis
 * results before they are published. Null if the call was deleted.
 */
export function createWebhookCallReader(dependencies: WebhookCallDependencies) {
  const { database, readCall } = dependencies
  return async (workspaceId: number, callId: string, event: WebhookEventName): Promise<Call | null> => {
    const [row, call] = await Promise.all([findCallRow(database.read, callId), readCall(callId)])
    if (row === null || row.workspace_id !== workspaceId || call === null) return null
    const storedPolicy = readPolicy(row.storage) ?? STORE_EVERYTHING
    const isAnalyzed = event === 'call_analyzed'
    const needsEvents = storedPolicy.setting === 'everything_except_pii'
    const events = needsEvents ? await readCallEvents(database.read, callId) : []
    const ended = { call: { ...row, transcript: call.transcript }, events }
    const redactWith = (by: StoragePolicy) =>
      redactStoredCall(ended, { policy: by, analysis: readStoredAnalysis(row) }, dependencies)
    const { policy, result } = await redactOrOmit(storedPolicy, redactWith)
    const { columns, analysis } = result
    const { transcript, given_variables, collected_variables, override_variables } = { ...ended.call, ...columns }
    const { summary, customData } = analysis
    return {
      ...call,
      transcript,
      service_dynamic_variables: JSON.parse(given_variables) as Record<string, string>,
      collectedDynamicVariables: JSON.parse(collected_variables) as Record<string, string>,
      overrideDynamicVariables: JSON.parse(override_variables) as Record<string, string | null>,
      ...(policy.setting !== 'everything' && { recordingUrl: null }),
      ...(isAnalyzed ? { summary, customAnalysisData: customData } : NO_ANALYSIS),
    }
  }
}

/** Derives `Agent: …` and `User: …` lines from a record. */
export type TranscriptOf = (events: readonly CallEvent[]) => string

/** Builds the statement that deletes a call's audio reliably after the commit. */
export type DeleteRecording = (callId: string) => BatchStatement

/** A call after its policy was applied. */
interface RedactedCall {
  readonly columns: Partial<CallRow>
  /** Record, or null if removed. */
  readonly events: readonly CallEvent[] | null
  readonly analysis: ChatAnalysis
  /** Whether the recording is kept. Audio cannot be redacted, so it is kept entirely or not at all. */
  readonly keepsRecording: boolean
}

const NO_RECORDING = { recording: null, recording_url: null } as const

/** Applies a stored call's policy. */
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
