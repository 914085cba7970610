import type { Call } from '@parley/contract/call'
import type { CallEvent } from '@parley/contract/call-event'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { parsePolicy, STORE_EVERYTHING, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redact, redactOrOmit } from '../redaction-tasks.ts'
import { type EndedCall, findCallRow, readCallEvents, readStoredAnalysis } from './ended-call-store.ts'

interface WebhookCallDependencies {
  readonly database: Pick<Database, 'read'>
  /** Reads the whole call without join links, or returns null if the call was deleted. */
  readonly readCall: (callId: string) => Promise<Call | null>
  readonly buildTranscript: BuildTranscript
  readonly redaction: RedactionRunner
}

/** Analysis fields of a call without published analysis results. */
const NO_ANALYSIS = { sentiment: null, successful: null, summary: null, customAnalysisData: {} } as const

/**
 * Creates the function that reads a call for webhooks. It applies the storage policy, omits unpublished analysis
 * results, and returns null for a deleted call.
 */
export function createWebhookCallReader(dependencies: WebhookCallDependencies) {
  const { database, readCall } = dependencies
  return async (workspaceId: number, callId: string, event: WebhookEventName): Promise<Call | null> => {
    const [row, call] = await Promise.all([findCallRow(database.read, callId), readCall(callId)])
    if (row === null || row.workspace_id !== workspaceId || call === null) return null
    const storedPolicy = parsePolicy(row.storage) ?? STORE_EVERYTHING
    const isAnalyzed = event === 'call_analyzed'
    const needsEvents = storedPolicy.setting === 'everything_except_pii'
    const events = needsEvents ? await readCallEvents(database.read, callId) : []
    const endedCall = { call: { ...row, transcript: call.transcript }, events }
    const redactWith = (redactionPolicy: StoragePolicy) =>
      redactStoredCall(endedCall, { policy: redactionPolicy, analysis: readStoredAnalysis(row) }, dependencies)
    const { policy, result } = await redactOrOmit(storedPolicy, redactWith)
    const { columns, analysis } = result
    const { transcript, given_variables, collected_variables, override_variables } = { ...endedCall.call, ...columns }
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

/** Builds a transcript with `Agent: …` and `User: …` lines. */
export type BuildTranscript = (events: readonly CallEvent[]) => string

/** Builds the statement that schedules the deletion of a call's recording. */
export type BuildRecordingRemoval = (callId: string) => BatchStatement

/** A call after its policy was applied. */
interface RedactedCall {
  readonly columns: Partial<CallRow>
  /** Events, or null if they are removed. */
  readonly events: readonly CallEvent[] | null
  readonly analysis: ChatAnalysis
  /** Whether the recording is kept. Audio cannot be redacted, so it is kept entirely or not at all. */
  readonly keepsRecording: boolean
}

const NO_RECORDING = { recording: null, recording_url: null } as const

/** Applies a policy to a stored call. */
export async function redactStoredCall(
  endedCall: EndedCall,
  { policy, analysis: unredactedAnalysis }: { readonly policy: StoragePolicy; readonly analysis: ChatAnalysis },
  { redaction, buildTranscript }: { readonly redaction: RedactionRunner; readonly buildTranscript: BuildTranscript },
): Promise<RedactedCall> {
  const task = { kind: 'storedCall', endedCall, policy, analysis: unredactedAnalysis } as const
  const redactedContent = await redact(redaction, endedCall.call.workspace_id, task)
  const { variables, events, transcript, analysis } = redactedContent
  if (policy.setting === 'everything') return { columns: {}, events, analysis, keepsRecording: true }
  const columns = { ...NO_RECORDING, ...variables, transcript: transcript ?? buildTranscript(events ?? []) }
  return { columns, events, analysis, keepsRecording: false }
}
