import * as agent from '@parley/contract/agent'
import * as draft from '@parley/contract/agent-draft'
import * as chatAgent from '@parley/contract/chat-agent'
import { type Api, type CachedApi, implement, respondWithEtag } from '../../kernel/api/implement.ts'
import { registerVersionedRoutes } from '../engines/public.ts'
import type { AgentDrafts, SavedDraft } from './agent-drafts.ts'
import type { AgentService } from './agent-service.ts'

const getAgentId = ({ agentId }: { readonly agentId: string }) => agentId

/** Registers the agent operations. */
export function registerAgentRoutes(
  cachedApi: CachedApi,
  service: AgentService<agent.CreateAgentBody, agent.UpdateAgentBody, agent.Agent>,
): void {
  const operations = {
    create: agent.createAgent,
    list: agent.listAgents,
    get: agent.getAgent,
    update: agent.updateAgent,
    remove: agent.deleteAgent,
    listVersions: agent.listAgentVersions,
    publish: agent.publishAgent,
  }
  registerVersionedRoutes(cachedApi, { operations, service, getId: getAgentId, defaultVersion: 'active' })

  implement(cachedApi.api, agent.activateAgent, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, id: path.agentId, ifMatch, version: body.version }
    return respondWithEtag(context, await service.activate(target))
  })
}

/** Registers the chat agent operations. */
export function registerChatAgentRoutes(
  cachedApi: CachedApi,
  service: AgentService<chatAgent.CreateChatAgentBody, chatAgent.UpdateChatAgentBody, chatAgent.ChatAgent>,
): void {
  const operations = {
    create: chatAgent.createChatAgent,
    list: chatAgent.listChatAgents,
    get: chatAgent.getChatAgent,
    update: chatAgent.updateChatAgent,
    remove: chatAgent.deleteChatAgent,
    listVersions: chatAgent.listChatAgentVersions,
    publish: chatAgent.publishChatAgent,
  }
  registerVersionedRoutes(cachedApi, { operations, service, getId: getAgentId, defaultVersion: 'active' })

  implement(cachedApi.api, chatAgent.activateChatAgent, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, id: path.agentId, ifMatch, version: body.version }
    return respondWithEtag(context, await service.activate(target))
  })
}

/** Registers the operations that save an agent or chat agent together with its LLM configuration. */
export function registerAgentDraftRoutes(
  api: Api,
  agents: AgentDrafts<draft.SaveAgentDraftBody['agent'] & object, agent.Agent>,
  chatAgents: AgentDrafts<draft.SaveChatAgentDraftBody['agent'] & object, chatAgent.ChatAgent>,
): void {
  implement(api, draft.saveAgentDraft, async ({ path, body }, { workspaceId }) =>
    toDraftResponse(await agents.save({ workspaceId, id: path.agentId }, body)),
  )

  implement(api, draft.saveChatAgentDraft, async ({ path, body }, { workspaceId }) =>
    toDraftResponse(await chatAgents.save({ workspaceId, id: path.agentId }, body)),
  )
}

function toDraftResponse<AgentResponse>({ agent: savedAgent, llm, warnings }: SavedDraft<AgentResponse>) {
  return {
    agent: savedAgent.response,
    agentEtag: formatEtag(savedAgent.editCount),
    llm: llm?.response ?? null,
    llmEtag: llm && formatEtag(llm.editCount),
    warnings,
  }
}

const formatEtag = (editCount: number): string => `"${editCount}"`
