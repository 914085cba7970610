import type { Agent } from '@parley/contract/agent'
import { request } from '../../lib/api/request.ts'
import { createAgentFields, updateAgentFields } from './agent-body.ts'
import type { AgentApi } from './agent-kind.ts'
import { draftFields, savedDraft } from './draft-request.ts'

/** Agents of calls, which can chat as well. */
export const voiceAgents: AgentApi<Agent> = {
  kind: 'agent',
  operations: {
    read: 'getAgent',
    list: 'listAgents',
    versions: 'listAgentVersions',
    create: 'createAgent',
    update: 'updateAgent',
    remove: 'deleteAgent',
    publish: 'publishAgent',
    activate: 'activateAgent',
  },
  read: ({ workspaceId, agentId }, version, signal) =>
    request(
      'getAgent',
      { path: { agentId }, query: { workspaceId, version: String(version) } },
      { ...(signal && { signal }) },
    ),
  update: ({ workspaceId, agentId }, edits, etag) =>
    request(
      'updateAgent',
      { path: { agentId }, body: { workspaceId, ...updateAgentFields(edits) } },
      { ifMatch: etag },
    ),
  saveDraft: async ({ workspaceId, agentId }, { agent, llm }) =>
    savedDraft(
      await request('saveAgentDraft', {
        path: { agentId },
        body: { workspaceId, ...(agent && { agent: updateAgentFields(agent.edits) }), ...draftFields({ agent, llm }) },
      }),
    ),
  async create(workspaceId, settings) {
    const { voice_id: voiceId = '', max_call_duration_ms: durationMs } = settings
    const fields = createAgentFields({ ...settings, voice_id: voiceId })
    const made = await request('createAgent', { body: { workspaceId, ...fields } })
    if (durationMs === undefined || durationMs === made.value.max_call_duration_ms) return made
    const target = { workspaceId, agentId: made.value.agent_id }
    return await voiceAgents.update(target, { max_call_duration_ms: durationMs }, made.etag)
  },
  remove: ({ workspaceId, agentId }) => request('deleteAgent', { path: { agentId }, query: { workspaceId } }),
  publish: ({ workspaceId, agentId }, notes, etag) =>
    request('publishAgent', { path: { agentId }, body: { workspaceId, ...notes } }, { ifMatch: etag }),
  activate: ({ workspaceId, agentId }, version) =>
    request('activateAgent', { path: { agentId }, body: { workspaceId, version } }),
}
