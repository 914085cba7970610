import type { ChatAgent } from '@parley/contract/chat-agent'
import { request } from '../../lib/api/request.ts'
import { createChatAgentFields, updateChatAgentFields } from './agent-body.ts'
import type { AgentApi } from './agent-kind.ts'
import { draftFields, savedDraft } from './draft-request.ts'

/** Agents that only write. */
export const chatAgents: AgentApi<ChatAgent> = {
  kind: 'chat-agent',
  operations: {
    read: 'getChatAgent',
    list: 'listChatAgents',
    versions: 'listChatAgentVersions',
    create: 'createChatAgent',
    update: 'updateChatAgent',
    remove: 'deleteChatAgent',
    publish: 'publishChatAgent',
    activate: 'activateChatAgent',
  },
  read: ({ workspaceId, agentId }, version, signal) =>
    request(
      'getChatAgent',
      { path: { agentId }, query: { workspaceId, version: String(version) } },
      { ...(signal && { signal }) },
    ),
  update: ({ workspaceId, agentId }, edits, etag) =>
    request(
      'updateChatAgent',
      { path: { agentId }, body: { workspaceId, ...updateChatAgentFields(edits) } },
      { ifMatch: etag },
    ),
  saveDraft: async ({ workspaceId, agentId }, { agent, llm }) =>
    savedDraft(
      await request('saveChatAgentDraft', {
        path: { agentId },
        body: {
          workspaceId,
          ...(agent && { agent: updateChatAgentFields(agent.edits) }),
          ...draftFields({ agent, llm }),
        },
      }),
    ),
  create: (workspaceId, settings) =>
    request('createChatAgent', { body: { workspaceId, ...createChatAgentFields(settings) } }),
  remove: ({ workspaceId, agentId }) => request('deleteChatAgent', { path: { agentId }, query: { workspaceId } }),
  publish: ({ workspaceId, agentId }, notes, etag) =>
    request('publishChatAgent', { path: { agentId }, body: { workspaceId, ...notes } }, { ifMatch: etag }),
  activate: ({ workspaceId, agentId }, version) =>
    request('activateChatAgent', { path: { agentId }, body: { workspaceId, version } }),
}
