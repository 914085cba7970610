import type { Operation } from '@parley/contract/operation'
import type { FastifyRequest } from 'fastify'
import { type AuditEntry, type AuditTrail, findCreatedTarget } from '../features/audit/public.ts'
import type { Background, Logger } from '../kernel/work/background.ts'
import type { Admitted } from './admission.ts'
import { toAppError } from './problems.ts'

export interface RecorderDependencies {
  readonly audit: AuditTrail
  readonly background: Pick<Background, 'run'>
  readonly logger: Pick<Logger, 'error'>
}

/** Records requests of an operation in the audit log. */
export interface Recorder {
  /**
   * Records changes except conversations, and all uses of context headers. Changes of rights are recorded before the response,
   * edits afterwards.
   */
  recordCompleted(request: FastifyRequest, admitted: Admitted, done: Done): Promise<void>
  /** Records a rejected request if it used context headers. */
  recordRejected(request: FastifyRequest, error: unknown): Promise<void>
}

export function createRecorder({ audit, background, logger }: RecorderDependencies, operation: Operation): Recorder {
  const { access, method, name } = operation
  // A search uses POST because it has a body, but changes nothing.
  const changes = method !== 'GET' && access !== 'calls' && access !== 'public' && access !== 'read'
  const waits = access !== 'write'

  function describeEntry(request: FastifyRequest, { actor, claims }: Admitted, outcome: Outcome): AuditEntry {
    const { workspaceId, status, answer } = outcome
    const reached = workspaceId === null ? undefined : actor.workspaces.get(workspaceId)
    return {
      userId: actor.userId,
      credentialId: actor.credentialId,
      actorRole: actor.role,
      operation: name,
      target: { ...(request.params as Record<string, string>), ...findCreatedTarget(name, answer) },
      workspaceId,
      accountSid: workspaceId === null ? actor.accountSid : (reached?.accountSid ?? null),
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
      // The request is complete. An error would make the client repeat it.
      logger.error({ requestId: entry.requestId, cause: error }, 'an entry of the audit log was not stored')
    }
  }

  return {
    async recordCompleted(request, admitted, { workspaceId, answer }) {
      if (!changes && admitted.claims === null) return
      const entry = describeEntry(request, admitted, { workspaceId, status: operation.status, answer })
      if (waits || admitted.claims !== null) await storeEntry(entry)
      else background.run('write the audit log', () => audit.record(entry))
    },

    async recordRejected(request, error) {
      const { admitted } = request
      if (admitted === null || admitted.claims === null) return
      const { workspaceId } = admitted.claims
      await storeEntry(describeEntry(request, admitted, { workspaceId, status: toAppError(error).status }))
    },
  }
}

interface Done {
  readonly workspaceId: number | null
  /** Response body before it is sent; names the created resource. */
  readonly answer: unknown
}

interface Outcome {
  readonly workspaceId: number | null
  readonly status: number
  readonly answer?: unknown
}
