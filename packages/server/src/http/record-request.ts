import type { Operation } from '@parley/contract/operation'
import type { FastifyRequest } from 'fastify'
import type { AuditTrail } from '../kernel/audit.ts'
import type { Background } from '../kernel/background.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Admitted } from './admission.ts'

export interface RecorderDependencies {
  readonly audit: AuditTrail
  readonly background: Pick<Background, 'run'>
  readonly logger: Pick<Logger, 'error'>
}

/**
 * Puts what was done into the audit log: every change but those of conversations, and every use of context headers.
 * What changes rights is on record before it is answered; what edits resources is recorded behind the answer.
 */
export function createRecorder({ audit, background, logger }: RecorderDependencies, operation: Operation) {
  const { access, method, name } = operation
  const changes = method !== 'GET' && access !== 'calls' && access !== 'public'
  const waits = access !== 'write'

  return async (request: FastifyRequest, admitted: Admitted, workspaceId: number | null): Promise<void> => {
    const { actor, claims } = admitted
    if (!changes && claims === null) return
    const record = () =>
      audit.record({
        userId: actor.userId,
        credentialId: actor.credentialId,
        actorRole: actor.role,
        operation: name,
        target: { ...(request.params as Record<string, string>) },
        workspaceId,
        accountSid: workspaceId === null ? actor.accountSid : (actor.workspaces.get(workspaceId)?.accountSid ?? null),
        providerId: actor.providerId,
        context: claims,
        status: operation.status,
        requestId: request.id,
        ip: request.ip,
      })
    if (!waits && claims === null) {
      background.run('write the audit log', record)
      return
    }
    try {
      await record()
    } catch (error) {
      // The change is done: failing the request now would have it sent again.
      logger.error({ requestId: request.id, cause: error }, 'an entry of the audit log was not stored')
    }
  }
}
