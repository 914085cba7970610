import type { Call } from '@parley/contract/call'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { Database } from '../../../kernel/database.ts'
import { EVERYTHING, readPolicy } from '../policy/storage-policy.ts'
import { analysisOf, findCallRow, readCallEvents } from './ended-call-store.ts'
import { redactStoredCall, type TranscriptOf } from './redact-stored-call.ts'

export interface TellCallDependencies {
  readonly database: Pick<Database, 'read'>
  /** The whole call, as answers carry it to those who cannot let anybody in; `null` when it is gone. */
  readonly readCall: (callId: string) => Promise<Call | null>
  readonly transcriptOf: TranscriptOf
}

/** What is found out later. */
const UNKNOWN_YET = { sentiment: null, successful: null, summary: null, customAnalysisData: {} } as const

/**
 * Reads a call as webhooks tell of it: no more of it than is stored in the end, and before its analysis is told nothing of that.
 * `null` when it is gone.
 */
export function createCallTelling({ database, readCall, transcriptOf }: TellCallDependencies) {
  return async (workspaceId: number, callId: string, event: WebhookEventName): Promise<Call | null> => {
    const [row, call] = await Promise.all([findCallRow(database.read, callId), readCall(callId)])
    if (row === null || row.workspace_id !== workspaceId || call === null) return null
    const policy = readPolicy(row.storage) ?? EVERYTHING
    const isAnalysed = event === 'call_analyzed'
    const needsRecord = policy.setting === 'everything_except_pii'
    const events = needsRecord ? await readCallEvents(database.read, callId) : []
    const ended = { call: { ...row, transcript: call.transcript }, events }
    const { columns, analysis } = await redactStoredCall(ended, { policy, analysis: analysisOf(row) }, transcriptOf)
    const { transcript, given_variables, collected_variables, override_variables } = { ...ended.call, ...columns }
    const { summary, customData } = analysis
    return {
      ...call,
      transcript,
      service_dynamic_variables: JSON.parse(given_variables) as Record<string, string>,
      collectedDynamicVariables: JSON.parse(collected_variables) as Record<string, string>,
      overrideDynamicVariables: JSON.parse(override_variables) as Record<string, string>,
      ...(policy.setting !== 'everything' && { recordingUrl: null }),
      ...(isAnalysed ? { summary, customAnalysisData: customData } : UNKNOWN_YET),
    }
  }
}
