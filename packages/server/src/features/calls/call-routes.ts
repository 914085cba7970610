import { archiveCall, deleteCall, getCall, listCalls } from '@parley/contract/call'
import { listCallHistory } from '@parley/contract/call-history'
import { workspacesFor } from '../../kernel/access/actor.ts'
import { type Api, implement, type RequestContext } from '../../kernel/api/implement.ts'
import { shownValues } from './call-filter.ts'
import type { CallService } from './call-service.ts'

/** Mounts the operations of calls as records. */
export function registerCallRoutes(api: Api, service: CallService): void {
  implement(
    api,
    listCalls,
  )(async ({ query }, context) => {
    const { page, limit } = query
    const filter = { ...commonFilter(query, context), hidden: shownValues({ archived: false, children: true }) }
    const { items, total } = await service.list(context.actor, filter, { page, limit })
    return { success: true as const, calls: [...items], pagination: { page, limit, total } }
  })

  implement(
    api,
    listCallHistory,
  )(async ({ query }, context) => {
    const { page, limit, agentVersion, includeArchived, includeChildCalls, search = '' } = query
    const hidden = shownValues({ archived: includeArchived, children: includeChildCalls })
    const filter = { ...commonFilter(query, context), agentVersion, hidden }
    const { items, total } = await service.history(filter, search, { page, limit })
    const pagination = { page, limit, total, pages: Math.ceil(total / limit) }
    return { success: true as const, calls: [...items], pagination }
  })

  implement(
    api,
    getCall,
  )(async ({ path }, { actor }) => ({ success: true as const, call: await service.get(actor, path.callId) }))

  implement(
    api,
    archiveCall,
  )(async ({ path, body }, { actor }) => ({
    success: true as const,
    call: await service.archive(actor, path.callId, body.archived),
  }))

  implement(
    api,
    deleteCall,
  )(async ({ path }, { actor }) => {
    await service.remove(actor, path.callId)
    return undefined
  })
}

interface CommonQuery {
  readonly agentId?: string | undefined
  readonly status?: string | undefined
  readonly startDate?: number | undefined
  readonly endDate?: number | undefined
}

/** Without a workspace the list is about all that the actor may read. */
function commonFilter(query: CommonQuery, { actor, workspaceId }: Pick<RequestContext, 'actor' | 'workspaceId'>) {
  return {
    workspaceIds: workspaceId === 0 ? workspacesFor(actor, 'read') : [workspaceId],
    agentId: query.agentId,
    status: query.status,
    createdFrom: query.startDate,
    createdTo: query.endDate,
  }
}
