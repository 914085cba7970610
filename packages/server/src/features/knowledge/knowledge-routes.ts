import {
  addKnowledgeSources,
  createKnowledgeBase,
  deleteKnowledgeBase,
  deleteKnowledgeSource,
  getKnowledgeBase,
  listKnowledgeBases,
  listKnowledgeChunks,
  listKnowledgeSources,
  refreshKnowledgeBase,
  searchKnowledgeBase,
  updateKnowledgeBase,
} from '@parley/contract/knowledge-base'
import { type Api, implement, respondWithEtag, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { KnowledgeService } from './knowledge-service.ts'

/** Registers the knowledge base routes. */
export function registerKnowledgeRoutes(api: Api, service: KnowledgeService): void {
  implement(api, listKnowledgeBases, async ({ query }, context) => {
    return respondWithPage(context, await service.list(context.workspaceId, parsePageRequest(query)))
  })

  implement(api, createKnowledgeBase, async ({ body }, context) => {
    return respondWithEtag(context, await service.create(context.workspaceId, body, context.uploads))
  })

  implement(api, getKnowledgeBase, async ({ path }, context) =>
    respondWithEtag(context, await service.get(context.workspaceId, path.knowledgeBaseId)),
  )

  implement(api, updateKnowledgeBase, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    return respondWithEtag(context, await service.update({ workspaceId, ...path, ifMatch }, body))
  })

  implement(api, deleteKnowledgeBase, ({ path }, { workspaceId, ifMatch }) =>
    service.remove({ workspaceId, ...path, ifMatch }),
  )

  implement(
    api,
    refreshKnowledgeBase,
    async ({ path, body }, { workspaceId }) =>
      (await service.refresh(workspaceId, path.knowledgeBaseId, body)).response,
  )

  implement(api, searchKnowledgeBase, ({ path, body }, context) =>
    service.search(context.workspaceId, path.knowledgeBaseId, body),
  )

  registerSourceRoutes(api, service)
}

function registerSourceRoutes(api: Api, service: KnowledgeService): void {
  implement(api, addKnowledgeSources, async ({ path, body }, context) => {
    const { workspaceId, uploads } = context
    return (await service.addSources({ workspaceId, ...path }, body, uploads)).response
  })

  implement(api, listKnowledgeSources, async ({ path, query }, context) => {
    const target = { workspaceId: context.workspaceId, ...path, status: query.status }
    return respondWithPage(context, await service.listSources(target, parsePageRequest(query)))
  })

  implement(api, deleteKnowledgeSource, ({ path }, { workspaceId }) => service.removeSource({ workspaceId, ...path }))

  implement(api, listKnowledgeChunks, async ({ path, query }, context) => {
    const target = { workspaceId: context.workspaceId, ...path }
    return respondWithPage(context, await service.listChunks(target, parsePageRequest(query)))
  })
}
