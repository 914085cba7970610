import type { Operation } from '@parley/contract/operation'
import type { FastifyRequest } from 'fastify'
import type { AuditEntry, AuditTrail } from '../features/audit/public.ts'
import type { Background, Logger } from '../kernel/work/background.ts'
import type { Admitted } from './admission.ts'
import { toAppError } from './problems.ts'

export interface RecorderDependencies {
  readonly audit: AuditTrail
  readonly background: Pick<Background, 'run'>
  readonly logger: Pick<Logger, 'error'>
}

/** Puts requests of one operation into the audit log. */
export interface Recorder {
  /**
   * Of what was done: every change but those of conversations, and every use of context headers. What changes rights is on
   * record before it is answered; what edits resources is recorded behind the answer.
   */
  recordCompleted(request: FastifyRequest, admitted: Admitted, workspaceId: number | null): Promise<void>
  /** Of what was refused: every use of context headers. */
  recordRefused(request: FastifyRequest, error: unknown): Promise<void>
}

export function createRecorder({ audit, background, logger }: RecorderDependencies, operation: Operation): Recorder {
  const { access, method, name } = operation
  // A search has a body and so is a POST, but changes nothing either.
  const changes = method !== 'GET' && access !== 'calls' && access !== 'public' && access !== 'read'
  const waits = access !== 'write'

  function describe(request: FastifyRequest, { actor, claims }: Admitted, outcome: Outcome): AuditEntry {
    const { workspaceId, status } = outcome
    const reached = workspaceId === null ? undefined : actor.workspaces.get(workspaceId)
    return {
      userId: actor.userId,
      credentialId: actor.credentialId,
      actorRole: actor.role,
      operation: name,
      target: { ...(request.params as Record<string, string>) },
      workspaceId,
      accountSid: workspaceId === null ? actor.accountSid : (reached?.accountSid ?? null),
      providerId: actor.providerId,
      context: claims,
      status,
      requestId: request.id,
      ip: request.ip,
    }
  }

  async function store(entry: AuditEntry): Promise<void> {
    try {
      await audit.record(entry)
    } catch (error) {
      // What was asked is done or refused: failing the request now would have it sent again.
      logger.error({ requestId: entry.requestId, cause: error }, 'an entry of the audit log was not stored')
    }
  }

  return {
    async recordCompleted(request, admitted, workspaceId) {
      if (!changes && admitted.claims === null) return
      const entry = describe(request, admitted, { workspaceId, status: operation.status })
      if (waits || admitted.claims !== null) await store(entry)
      else background.run('write the audit log', () => audit.record(entry))
    },

    async recordRefused(request, error) {
      const { admitted } = request
      if (admitted === null || admitted.claims === null) return
      const { workspaceId } = admitted.claims
      await store(describe(request, admitted, { workspaceId, status: toAppError(error).status }))
    },
  }
}

interface Outcome {
  readonly workspaceId: number | null
  readonly status: number
}
