import { getUsage } from '@parley/contract/usage'
import { workspacesFor } from '../../kernel/access/actor.ts'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { UsageService } from './usage-service.ts'

/** Mounts the operation of usage figures. Without a workspace they are of all that the actor may read. */
export function registerUsageRoutes(api: Api, service: UsageService): void {
  implement(
    api,
    getUsage,
  )(async ({ query }, { actor, workspaceId }) =>
    service.read({
      workspaceIds: workspaceId === 0 ? workspacesFor(actor, 'read') : [workspaceId],
      from: query.startDate,
      to: query.endDate,
      groupBy: query.groupBy,
    }),
  )
}
