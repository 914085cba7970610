import {
  activateAgent,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  listAgentVersions,
  publishAgent,
  updateAgent,
} from '@parley/contract/agent'
import { type Api, implement, implementRead, type KeptAnswer, withEtag } from '../../http/implement.ts'
import { oneVersion } from '../../kernel/edits.ts'
import { printPosition, readPage } from '../../kernel/paging.ts'
import type { ReadCache } from '../../kernel/read-cache.ts'
import type { AgentService } from './agent-service.ts'

/** Mounts the operations of agents. `answers` keeps what was read of resources and their versions. */
export function registerAgentRoutes(api: Api, service: AgentService, answers: ReadCache<KeptAnswer>): void {
  registerReads(api, service, answers)
  registerWrites(api, service)
}

function registerReads(api: Api, service: AgentService, answers: ReadCache<KeptAnswer>): void {
  implementRead(
    api,
    listAgents,
    answers,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: items.at(-1)?.version ?? null })
    return [...items]
  })

  implementRead(
    api,
    getAgent,
    answers,
  )(async ({ path, query }, context) => {
    return withEtag(context, await service.get(context.workspaceId, path.agentId, query.version ?? 'active'))
  })

  implementRead(
    api,
    listAgentVersions,
    answers,
  )(async ({ path, query }, context) => {
    const { items, next } = await service.listVersions(context.workspaceId, path.agentId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: next.at })
    return [...items]
  })
}

function registerWrites(api: Api, service: AgentService): void {
  implement(
    api,
    createAgent,
  )(async ({ body }, context) => {
    return withEtag(context, await service.create(context.workspaceId, body))
  })

  implement(
    api,
    updateAgent,
  )(async ({ path, query, body }, context) => {
    const { workspaceId, ifMatch } = context
    const version = oneVersion(query.version, body.version)
    return withEtag(context, await service.update({ workspaceId, agentId: path.agentId, ifMatch, version }, body))
  })

  implement(
    api,
    deleteAgent,
  )(async ({ path }, { workspaceId, ifMatch }) => {
    await service.remove({ workspaceId, agentId: path.agentId, ifMatch })
    return undefined
  })

  implement(
    api,
    publishAgent,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, agentId: path.agentId, ifMatch, version: body.version }
    return withEtag(context, await service.publish(target, body))
  })

  implement(
    api,
    activateAgent,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, agentId: path.agentId, ifMatch, version: body.version }
    return withEtag(context, await service.activate(target))
  })
}
