import {
  createFlowComponent,
  deleteFlowComponent,
  getFlowComponent,
  listFlowComponents,
  updateFlowComponent,
} from '@parley/contract/flow-component'
import { type Api, implement, withEtag } from '../../kernel/api/implement.ts'
import { printPosition, readPage } from '../../kernel/api/paging.ts'
import type { ComponentService } from './component-service.ts'

/** Mounts the operations of shared flow components. */
export function registerComponentRoutes(api: Api, service: ComponentService): void {
  implement(
    api,
    createFlowComponent,
  )(async ({ body }, context) => {
    return withEtag(context, await service.create(context.workspaceId, body))
  })

  implement(
    api,
    listFlowComponents,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: null })
    return [...items]
  })

  implement(
    api,
    getFlowComponent,
  )(async ({ path }, context) => {
    return withEtag(context, await service.get(context.workspaceId, path.flowComponentId))
  })

  implement(
    api,
    updateFlowComponent,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, componentId: path.flowComponentId, ifMatch }
    return withEtag(context, await service.update(target, body))
  })

  implement(
    api,
    deleteFlowComponent,
  )(async ({ path }, { workspaceId, ifMatch }) => {
    await service.remove({ workspaceId, componentId: path.flowComponentId, ifMatch })
    return undefined
  })
}
