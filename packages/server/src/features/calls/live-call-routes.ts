import { controlCall, endCall, listenToCall, updateCall } from '@parley/contract/call-control'
import { getCallEvents, getCallTranscript } from '@parley/contract/call-record'
import { createWebCall } from '@parley/contract/web-call'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { ControlService } from './control/control-service.ts'
import type { WebCallService } from './creating/web-call-service.ts'
import type { RecordService } from './records/record-service.ts'

export interface LiveCallServices {
  readonly webCalls: WebCallService
  readonly controls: ControlService
  readonly records: RecordService
}

const success = true as const

/** Mounts the operations that make calls, steer them and tell what happens in them. */
export function registerLiveCallRoutes(api: Api, { webCalls, controls, records }: LiveCallServices): void {
  implement(
    api,
    createWebCall,
  )(async ({ body }, context) => {
    const call = await webCalls.create(context.actor, body)
    context.setAuditWorkspace(call.workspaceId)
    return { success, call }
  })

  implement(
    api,
    updateCall,
  )(async ({ path, body }, { actor }) => ({ success, call: await controls.update(actor, path.callId, body) }))

  implement(api, endCall)(async ({ path }, { actor }) => ({ success, call: await controls.end(actor, path.callId) }))

  implement(
    api,
    controlCall,
  )(async ({ path, body }, { actor }) => ({ success, call: await controls.control(actor, path.callId, body) }))

  implement(
    api,
    listenToCall,
  )(async ({ path }, { actor }) => ({ success, ...(await controls.listen(actor, path.callId)) }))

  implement(
    api,
    getCallEvents,
  )(async ({ path }, context) => {
    const { workspaceId, stream } = await records.follow(context.actor, path.callId, context.lastEventId ?? 0)
    context.setAuditWorkspace(workspaceId)
    return stream
  })

  implement(
    api,
    getCallTranscript,
  )(async ({ path }, { actor }) => {
    const { transcript, entries } = await records.transcript(actor, path.callId)
    return { success, transcript, entries: [...entries] }
  })
}
