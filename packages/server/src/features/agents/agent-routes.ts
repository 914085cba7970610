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
import { type Api, implement, implementRead, type KeptAnswer } from '../../http/implement.ts'
import { invalidField } from '../../kernel/errors.ts'
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
    const { answer, editCount } = await service.get(context.workspaceId, path.agentId, query.version ?? 'active')
    context.setEtag(editCount)
    return answer
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
    const { answer, editCount } = await service.create(context.workspaceId, body)
    context.setEtag(editCount)
    return answer
  })

  implement(
    api,
    updateAgent,
  )(async ({ path, query, body }, context) => {
    const { workspaceId, ifMatch } = context
    const version = oneVersion(query.version, body.version)
    const { answer, editCount } = await service.update({ workspaceId, agentId: path.agentId, ifMatch, version }, body)
    context.setEtag(editCount)
    return answer
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
    const { answer, editCount } = await service.publish(target, body)
    context.setEtag(editCount)
    return answer
  })

  implement(
    api,
    activateAgent,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, agentId: path.agentId, ifMatch, version: body.version }
    const { answer, editCount } = await service.activate(target)
    context.setEtag(editCount)
    return answer
  })
}

/** The version may stand in the query or the body; both must agree. */
function oneVersion(inQuery: number | undefined, inBody: number | undefined): number | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidField('version', `is ${inQuery} in the query and ${inBody} in the body`)
  }
  return inQuery ?? inBody
}
