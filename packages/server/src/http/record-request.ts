import type { Operation } from '@parley/contract/operation'
import type { FastifyRequest } from 'fastify'
import { type AuditEntry, type AuditTrail, findCreatedTarget } from '../features/audit/public.ts'
import type { Background, Logger } from '../kernel/work/background.ts'
import type { Admission } from './admission.ts'
import { toAppError } from './problems.ts'

export interface RecorderDependencies {
  readonly audit: AuditTrail
  readonly background: Pick<Background, 'run'>
  readonly logger: Pick<Logger, 'error'>
}

/** Records requests of an operation in the audit log. */
export interface Recorder {
  /**
   * Records changes other than conversations, and all requests with context headers. Ordinary edits are recorded after
   * the response, all others before it.
   */
  recordCompleted(request: FastifyRequest, admission: Admission, completed: CompletedRequest): Promise<void>
  /** Records a rejected request if it used context headers. */
  recordRejected(request: FastifyRequest, error: unknown): Promise<void>
}

export function createRecorder({ audit, background, logger }: RecorderDependencies, operation: Operation): Recorder {
  const { access, method, name } = operation
  // Searches use POST because they have a body, but they change nothing.
  const isRecordedChange = method !== 'GET' && access !== 'calls' && access !== 'public' && access !== 'read'
  const isAwaited = access !== 'write'

  function buildEntry(request: FastifyRequest, { actor, claims }: Admission, outcome: Outcome): AuditEntry {
    const { workspaceId, status, result } = outcome
    const workspaceAccess = workspaceId === null ? undefined : actor.workspaces.get(workspaceId)
    return {
      userId: actor.userId,
      credentialId: actor.credentialId,
      actorRole: actor.role,
      operation: name,
      target: { ...(request.params as Record<string, string>), ...findCreatedTarget(name, result) },
      workspaceId,
      accountSid: workspaceId === null ? actor.accountSid : (workspaceAccess?.accountSid ?? null),
      providerId: actor.providerId,
      context: claims,
      status,
      requestId: request.id,
      ip: request.ip,
    }
  }

  async function storeEntry(entry: AuditEntry): Promise<void> {
    try {
      await audit.record(entry)
    } catch (error) {
      // The request has succeeded. If this failure were reported, the client would repeat the request.
      logger.error({ requestId: entry.requestId, cause: error }, 'failed to store an audit log entry')
    }
  }

  return {
    async recordCompleted(request, admission, { workspaceId, result }) {
      if (!isRecordedChange && admission.claims === null) return
      const entry = buildEntry(request, admission, { workspaceId, status: operation.status, result })
      if (isAwaited || admission.claims !== null) await storeEntry(entry)
      else background.run('write the audit log', () => audit.record(entry))
    },

    async recordRejected(request, error) {
      const { admission } = request
      if (admission === null || admission.claims === null) return
      const { workspaceId } = admission.claims
      await storeEntry(buildEntry(request, admission, { workspaceId, status: toAppError(error).status }))
    },
  }
}

interface CompletedRequest {
  readonly workspaceId: number | null
  /** Response body before it is sent; names the created resource. */
  readonly result: unknown
}

interface Outcome {
  readonly workspaceId: number | null
  readonly status: number
  readonly result?: unknown
}
