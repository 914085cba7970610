import type { Call } from '@parley/contract/call'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { Database } from '../../../kernel/storage/database.ts'
import { readPolicy, STORE_EVERYTHING, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redactOrOmit } from '../redaction-tasks.ts'
import { analysisOf, findCallRow, readCallEvents } from './ended-call-store.ts'
import { redactStoredCall, type TranscriptOf } from './redact-stored-call.ts'

export interface WebhookCallDependencies {
  readonly database: Pick<Database, 'read'>
  /** The whole call, as answers carry it to those who cannot let anybody in; `null` when it is gone. */
  readonly readCall: (callId: string) => Promise<Call | null>
  readonly transcriptOf: TranscriptOf
  readonly redaction: RedactionRunner
}

/** What is found out later. */
const NO_ANALYSIS = { sentiment: null, successful: null, summary: null, customAnalysisData: {} } as const

/**
 * Reads a call as webhooks tell of it: no more of it than is stored in the end, and before its analysis is told nothing of that.
 * `null` when it is gone.
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
    const redacting = (by: StoragePolicy) =>
      redactStoredCall(ended, { policy: by, analysis: analysisOf(row) }, dependencies)
    const { policy, result } = await redactOrOmit(storedPolicy, redacting)
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
