import { createLlm, deleteLlm, getLlm, listLlms, listLlmVersions, publishLlm, updateLlm } from '@parley/contract/llm'
import { resolveVersion } from '../../kernel/api/edits.ts'
import { type Api, type CachedAnswer, implement, implementRead, withEtag } from '../../kernel/api/implement.ts'
import { printPosition, readPage } from '../../kernel/api/paging.ts'
import type { ReadCache } from '../../kernel/storage/read-cache.ts'
import type { LlmService } from './llm-service.ts'

/** Mounts the operations of LLM configurations. `answers` keeps what was read of resources and their versions. */
export function registerLlmRoutes(api: Api, service: LlmService, answers: ReadCache<CachedAnswer>): void {
  registerReads(api, service, answers)
  registerWrites(api, service)
}

function registerReads(api: Api, service: LlmService, answers: ReadCache<CachedAnswer>): void {
  implementRead(
    api,
    listLlms,
    answers,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: items.at(-1)?.version ?? null })
    return [...items]
  })

  implementRead(
    api,
    getLlm,
    answers,
  )(async ({ path, query }, context) => {
    return withEtag(context, await service.get(context.workspaceId, path.llmId, query.version ?? 'latest'))
  })

  implementRead(
    api,
    listLlmVersions,
    answers,
  )(async ({ path, query }, context) => {
    const { items, next } = await service.listVersions(context.workspaceId, path.llmId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: next.at })
    return [...items]
  })
}

function registerWrites(api: Api, service: LlmService): void {
  implement(
    api,
    createLlm,
  )(async ({ body }, context) => {
    return withEtag(context, await service.create(context.workspaceId, body))
  })

  implement(
    api,
    updateLlm,
  )(async ({ path, query, body }, context) => {
    const { workspaceId, ifMatch } = context
    const version = resolveVersion(query.version, body.version)
    return withEtag(context, await service.update({ workspaceId, id: path.llmId, ifMatch, version }, body))
  })

  implement(
    api,
    deleteLlm,
  )(async ({ path }, { workspaceId, ifMatch }) => {
    await service.remove({ workspaceId, id: path.llmId, ifMatch })
    return undefined
  })

  implement(
    api,
    publishLlm,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, id: path.llmId, ifMatch, version: body.version }
    return withEtag(context, await service.publish(target, body))
  })
}
