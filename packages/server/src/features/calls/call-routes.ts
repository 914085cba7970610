import { archiveCall, deleteCall, getCall, listCalls } from '@parley/contract/call'
import { controlCall, endCall, listenToCall, updateCall } from '@parley/contract/call-control'
import { listCallHistory } from '@parley/contract/call-history'
import { getCallEvents, getCallTranscript } from '@parley/contract/call-record'
import { createWebCall } from '@parley/contract/web-call'
import { listPermittedWorkspaces } from '../../kernel/access/actor.ts'
import { type Api, implement, type RequestContext } from '../../kernel/api/implement.ts'
import { listHiddenValues } from './call-filter.ts'
import type { CallService } from './call-service.ts'
import type { ControlService } from './control/control-service.ts'
import type { WebCallService } from './creating/web-call-service.ts'
import type { RecordService } from './records/record-service.ts'

interface LiveCallServices {
  readonly webCalls: WebCallService
  readonly controls: ControlService
  readonly records: RecordService
}

const success = true as const

/** Registers the operations that create and control calls and read their events. */
export function registerLiveCallRoutes(api: Api, { webCalls, controls, records }: LiveCallServices): void {
  implement(api, createWebCall, async ({ body }, context) => {
    const call = await webCalls.create(context.actor, body)
    context.setAuditWorkspace(call.workspaceId)
    return { success, call }
  })

  implement(api, updateCall, async ({ path, body }, { actor }) => ({
    success,
    call: await controls.update(actor, path.callId, body),
  }))

  implement(api, endCall, async ({ path }, { actor }) => ({ success, call: await controls.end(actor, path.callId) }))

  implement(api, controlCall, async ({ path, body }, { actor }) => ({
    success,
    call: await controls.control(actor, path.callId, body),
  }))

  implement(api, listenToCall, async ({ path }, { actor }) => ({
    success,
    ...(await controls.listen(actor, path.callId)),
  }))

  implement(api, getCallEvents, async ({ path }, context) => {
    const { workspaceId, stream } = await records.follow(context.actor, path.callId, context.lastEventId ?? 0)
    context.setAuditWorkspace(workspaceId)
    return stream
  })

  implement(api, getCallTranscript, async ({ path }, { actor }) => {
    const { transcript, entries } = await records.getTranscript(actor, path.callId)
    return { success, transcript, entries: [...entries] }
  })
}

/** Registers the operations for stored calls. */
export function registerCallRoutes(api: Api, service: CallService): void {
  implement(api, listCalls, async ({ query }, context) => {
    const { page, limit } = query
    const filter = {
      ...buildCommonFilter(query, context),
      hidden: listHiddenValues({ archived: false, children: true }),
    }
    const { items, total } = await service.list(context.actor, filter, { page, limit })
    return { success: true as const, calls: [...items], pagination: { page, limit, total } }
  })

  implement(api, listCallHistory, async ({ query }, context) => {
    const { page, limit, agentVersion, includeArchived, includeChildCalls, search = '', sort } = query
    const hidden = listHiddenValues({ archived: includeArchived, children: includeChildCalls })
    const filter = { ...buildCommonFilter(query, context), agentVersion, hidden }
    const { items, total } = await service.searchHistory(filter, { text: search, sort }, { page, limit })
    const pagination = { page, limit, total, pages: Math.ceil(total / limit) }
    return { success: true as const, calls: [...items], pagination }
  })

  implement(api, getCall, async ({ path }, { actor }) => ({
    success: true as const,
    call: await service.get(actor, path.callId),
  }))

  implement(api, archiveCall, async ({ path, body }, { actor }) => ({
    success: true as const,
    call: await service.archive(actor, path.callId, body.archived),
  }))

  implement(api, deleteCall, ({ path }, { actor }) => service.remove(actor, path.callId))
}

interface CommonQuery {
  readonly agentId?: string | undefined
  readonly status?: string | undefined
  readonly startDate?: number | undefined
  readonly endDate?: number | undefined
}

/** Builds the filter that all lists share. Without a workspace, selects every workspace that the actor can read. */
function buildCommonFilter(query: CommonQuery, { actor, workspaceId }: Pick<RequestContext, 'actor' | 'workspaceId'>) {
  return {
    workspaceIds: workspaceId === 0 ? listPermittedWorkspaces(actor, 'read') : [workspaceId],
    agentId: query.agentId,
    status: query.status,
    createdFrom: query.startDate,
    createdTo: query.endDate,
  }
}
