import {
  createConversationFlow,
  deleteConversationFlow,
  getConversationFlow,
  listConversationFlows,
  listConversationFlowVersions,
  publishConversationFlow,
  updateConversationFlow,
  validateConversationFlow,
} from '@parley/contract/conversation-flow'
import { resolveVersion } from '../../kernel/api/edits.ts'
import { type Api, type CachedAnswer, implement, implementRead, withEtag } from '../../kernel/api/implement.ts'
import { printPosition, readPage } from '../../kernel/api/paging.ts'
import type { ReadCache } from '../../kernel/storage/read-cache.ts'
import type { FlowService } from './flow-service.ts'

/** Mounts the operations of conversation flows. `answers` keeps what was read of resources and their versions. */
export function registerFlowRoutes(api: Api, service: FlowService, answers: ReadCache<CachedAnswer>): void {
  registerFlowReads(api, service, answers)

  implement(
    api,
    createConversationFlow,
  )(async ({ body }, context) => {
    return withEtag(context, await service.create(context.workspaceId, body))
  })

  implement(api, validateConversationFlow)(async ({ body }, { workspaceId }) => service.validate(workspaceId, body))

  implement(
    api,
    updateConversationFlow,
  )(async ({ path, query, body }, context) => {
    const { workspaceId, ifMatch } = context
    const version = resolveVersion(query.version, body.version)
    const target = { workspaceId, id: path.conversationFlowId, ifMatch, version }
    return withEtag(context, await service.update(target, body))
  })

  implement(
    api,
    deleteConversationFlow,
  )(async ({ path }, { workspaceId, ifMatch }) => {
    await service.remove({ workspaceId, id: path.conversationFlowId, ifMatch })
    return undefined
  })

  implement(
    api,
    publishConversationFlow,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, id: path.conversationFlowId, ifMatch, version: body.version }
    return withEtag(context, await service.publish(target, body))
  })
}

function registerFlowReads(api: Api, service: FlowService, answers: ReadCache<CachedAnswer>): void {
  implementRead(
    api,
    listConversationFlows,
    answers,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: items.at(-1)?.version ?? null })
    return [...items]
  })

  implementRead(
    api,
    getConversationFlow,
    answers,
  )(async ({ path, query }, context) => {
    const selector = query.version ?? 'latest'
    return withEtag(context, await service.get(context.workspaceId, path.conversationFlowId, selector))
  })

  implementRead(
    api,
    listConversationFlowVersions,
    answers,
  )(async ({ path, query }, context) => {
    const { items, next } = await service.listVersions(context.workspaceId, path.conversationFlowId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: next.at })
    return [...items]
  })
}
