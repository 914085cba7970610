import * as flow from '@parley/contract/conversation-flow'
import * as component from '@parley/contract/flow-component'
import { type Api, type CachedApi, implement, respondWithEtag, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import { registerVersionedRoutes } from '../engines/public.ts'
import type { ComponentService } from './component-service.ts'
import type { FlowService } from './flow-service.ts'

/** Registers the conversation flow operations. */
export function registerFlowRoutes(cachedApi: CachedApi, service: FlowService): void {
  registerVersionedRoutes(cachedApi, {
    operations: {
      create: flow.createConversationFlow,
      list: flow.listConversationFlows,
      get: flow.getConversationFlow,
      update: flow.updateConversationFlow,
      remove: flow.deleteConversationFlow,
      listVersions: flow.listConversationFlowVersions,
      publish: flow.publishConversationFlow,
    },
    service,
    getId: ({ conversationFlowId }) => conversationFlowId,
    defaultVersion: 'latest',
  })

  implement(cachedApi.api, flow.validateConversationFlow, async ({ body }, { workspaceId }) =>
    service.validate(workspaceId, body),
  )
}

/** Registers the shared flow component operations. */
export function registerComponentRoutes(api: Api, service: ComponentService): void {
  implement(api, component.createFlowComponent, async ({ body }, context) =>
    respondWithEtag(context, await service.create(context.workspaceId, body)),
  )

  implement(api, component.listFlowComponents, async ({ query }, context) =>
    respondWithPage(context, await service.list(context.workspaceId, parsePageRequest(query))),
  )

  implement(api, component.getFlowComponent, async ({ path }, context) =>
    respondWithEtag(context, await service.get(context.workspaceId, path.flowComponentId)),
  )

  implement(api, component.updateFlowComponent, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    return respondWithEtag(context, await service.update({ workspaceId, id: path.flowComponentId, ifMatch }, body))
  })

  implement(api, component.deleteFlowComponent, ({ path }, { workspaceId, ifMatch }) =>
    service.remove({ workspaceId, id: path.flowComponentId, ifMatch }),
  )
}
