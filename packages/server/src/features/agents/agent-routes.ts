import * as agent from '@parley/contract/agent'
import * as draft from '@parley/contract/agent-draft'
import * as chatAgent from '@parley/contract/chat-agent'
import type { PublishBody, VersionQuery } from '@parley/contract/fields'
import type { Operation } from '@parley/contract/operation'
import type { pagingQuery } from '@parley/contract/pagination'
import type { z } from 'zod'
import { resolveVersion } from '../../kernel/api/edits.ts'
import { type Api, type CachedAnswer, implement, implementRead, withEtag } from '../../kernel/api/implement.ts'
import { printPosition, readPage } from '../../kernel/api/paging.ts'
import type { ReadCache } from '../../kernel/storage/read-cache.ts'
import type { AgentDrafts, SavedDraft } from './agent-drafts.ts'
import type { Written } from './agent-edits.ts'
import type { EngineChange } from './agent-kind.ts'
import type { AgentService } from './agent-service.ts'

/** Mounts the operations of agents. `answers` keeps what was read of resources and their versions. */
export function registerAgentRoutes(
  api: Api,
  service: AgentService<agent.CreateAgentBody, agent.UpdateAgentBody, agent.Agent>,
  answers: ReadCache<CachedAnswer>,
): void {
  const operations = {
    create: agent.createAgent,
    list: agent.listAgents,
    get: agent.getAgent,
    update: agent.updateAgent,
    remove: agent.deleteAgent,
    listVersions: agent.listAgentVersions,
    publish: agent.publishAgent,
    activate: agent.activateAgent,
  }
  registerReads({ api, answers }, operations, service)
  registerWrites(api, operations, service)
}

/** Mounts the operations of chat agents. */
export function registerChatAgentRoutes(
  api: Api,
  service: AgentService<chatAgent.CreateChatAgentBody, chatAgent.UpdateChatAgentBody, chatAgent.ChatAgent>,
  answers: ReadCache<CachedAnswer>,
): void {
  const operations = {
    create: chatAgent.createChatAgent,
    list: chatAgent.listChatAgents,
    get: chatAgent.getChatAgent,
    update: chatAgent.updateChatAgent,
    remove: chatAgent.deleteChatAgent,
    listVersions: chatAgent.listChatAgentVersions,
    publish: chatAgent.publishChatAgent,
    activate: chatAgent.activateChatAgent,
  }
  registerReads({ api, answers }, operations, service)
  registerWrites(api, operations, service)
}

/** Mounts saving an agent, or a chat agent, together with its LLM configuration. */
export function registerAgentDraftRoutes(
  api: Api,
  agents: AgentDrafts<draft.SaveAgentDraftBody['agent'] & object, agent.Agent>,
  chatAgents: AgentDrafts<draft.SaveChatAgentDraftBody['agent'] & object, chatAgent.ChatAgent>,
): void {
  implement(
    api,
    draft.saveAgentDraft,
  )(async ({ path, body }, { workspaceId }) =>
    toDraftAnswer(await agents.save({ workspaceId, agentId: path.agentId }, body)),
  )

  implement(
    api,
    draft.saveChatAgentDraft,
  )(async ({ path, body }, { workspaceId }) =>
    toDraftAnswer(await chatAgents.save({ workspaceId, agentId: path.agentId }, body)),
  )
}

function toDraftAnswer<Answer>({ agent: saved, llm, warnings }: SavedDraft<Answer>) {
  return {
    agent: saved.answer,
    agentEtag: printEtag(saved.editCount),
    llm: llm?.answer ?? null,
    llmEtag: llm && printEtag(llm.editCount),
    warnings,
  }
}

const printEtag = (editCount: number): string => `"${editCount}"`

type Path = NonNullable<typeof agent.getAgent.pathParameters>
type Paging = ReturnType<typeof pagingQuery>
/** Accepts what a handler answers. */
type Answers<Answer> = z.ZodType<unknown, Answer>
type EditBody = EngineChange & { readonly version?: number | undefined }

interface ReadOperations<Answer> {
  readonly list: Operation<undefined, Paging, undefined, Answers<Answer[]>>
  readonly get: Operation<Path, typeof VersionQuery, undefined, Answers<Answer>>
  readonly listVersions: Operation<Path, Paging, undefined, Answers<agent.AgentVersion[]>>
}

interface WriteOperations<CreateBody, UpdateBody, Answer> {
  readonly create: Operation<undefined, undefined, z.ZodType<CreateBody>, Answers<Written<Answer>>>
  readonly update: Operation<
    Path,
    NonNullable<typeof agent.updateAgent.query>,
    z.ZodType<UpdateBody>,
    Answers<Written<Answer>>
  >
  readonly remove: Operation<Path, z.ZodObject, undefined, undefined>
  readonly publish: Operation<Path, undefined, typeof PublishBody, Answers<Answer>>
  readonly activate: Operation<Path, undefined, typeof agent.ActivateAgentBody, Answers<Answer>>
}

function registerReads<CreateBody, UpdateBody, Answer extends { readonly version: number }>(
  { api, answers }: { readonly api: Api; readonly answers: ReadCache<CachedAnswer> },
  operations: ReadOperations<Answer>,
  service: AgentService<CreateBody, UpdateBody, Answer>,
): void {
  implementRead(
    api,
    operations.list,
    answers,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: items.at(-1)?.version ?? null })
    return [...items]
  })

  implementRead(
    api,
    operations.get,
    answers,
  )(async ({ path, query }, context) => {
    return withEtag(context, await service.get(context.workspaceId, path.agentId, query.version ?? 'active'))
  })

  implementRead(
    api,
    operations.listVersions,
    answers,
  )(async ({ path, query }, context) => {
    const { items, next } = await service.listVersions(context.workspaceId, path.agentId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: next.at })
    return [...items]
  })
}

function registerWrites<CreateBody, UpdateBody extends EditBody, Answer>(
  api: Api,
  operations: WriteOperations<CreateBody, UpdateBody, Answer>,
  service: AgentService<CreateBody, UpdateBody, Answer>,
): void {
  implement(
    api,
    operations.create,
  )(async ({ body }, context) => {
    return withEtag(context, await service.create(context.workspaceId, body))
  })

  implement(
    api,
    operations.update,
  )(async ({ path, query, body }, context) => {
    const { workspaceId, ifMatch } = context
    const version = resolveVersion(query.version, body.version)
    return withEtag(context, await service.update({ workspaceId, agentId: path.agentId, ifMatch, version }, body))
  })

  implement(
    api,
    operations.remove,
  )(async ({ path }, { workspaceId, ifMatch }) => {
    await service.remove({ workspaceId, agentId: path.agentId, ifMatch })
    return undefined
  })

  implement(
    api,
    operations.publish,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, agentId: path.agentId, ifMatch, version: body.version }
    return withEtag(context, await service.publish(target, body))
  })

  implement(
    api,
    operations.activate,
  )(async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, agentId: path.agentId, ifMatch, version: body.version }
    return withEtag(context, await service.activate(target))
  })
}
