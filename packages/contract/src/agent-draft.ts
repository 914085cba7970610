import { z } from 'zod'
import { Agent, UpdateAgentBody } from './agent.ts'
import { ChatAgent, UpdateChatAgentBody } from './chat-agent.ts'
import { bodyWorkspace, id, Warnings } from './fields.ts'
import { LLM_BODY_LIMIT_BYTES, Llm, UpdateLlmBody } from './llm.ts'
import { defineOperation } from './operation.ts'

/** An agent and the LLM configuration that it answers with, saved as one: both or neither. */

/** The `ETag` of a record as text of a body. */
const Etag = z.string().regex(/^(?:W\/)?"\d{1,15}"$/, 'must be an ETag with its quotes, such as "\\"3\\""')

const AGENT_ETAG =
  'The `ETag` of the agent that was read: refused when somebody has edited it since. Null takes any state.'
const LLM_ETAG = 'The same of the LLM configuration.'
const AGENT_CHANGES = 'Fields of the agent to change, as its PATCH takes them. Absent: none.'
const LLM_CHANGES =
  'Fields of the LLM configuration to change, as its PATCH takes them: of the one that the agent answers with after its own ' +
  'change. Absent: none.'

const etags = {
  agentEtag: Etag.nullable().optional().meta({ description: AGENT_ETAG }),
  llmEtag: Etag.nullable().optional().meta({ description: LLM_ETAG }),
}
const LlmChanges = UpdateLlmBody.omit({ workspaceId: true, version: true }).meta({ id: 'LlmChanges' })
const llm = LlmChanges.optional().meta({ description: LLM_CHANGES })

export const SaveAgentDraftBody = z
  .object({
    workspaceId: bodyWorkspace(),
    agent: UpdateAgentBody.omit({ workspaceId: true, version: true })
      .meta({ id: 'AgentChanges' })
      .optional()
      .meta({ description: AGENT_CHANGES }),
    agentEtag: etags.agentEtag,
    llm,
    llmEtag: etags.llmEtag,
  })
  .meta({ id: 'SaveAgentDraftBody' })
export type SaveAgentDraftBody = z.output<typeof SaveAgentDraftBody>

export const SaveChatAgentDraftBody = z
  .object({
    workspaceId: bodyWorkspace(),
    agent: UpdateChatAgentBody.omit({ workspaceId: true, version: true })
      .meta({ id: 'ChatAgentChanges' })
      .optional()
      .meta({ description: AGENT_CHANGES }),
    agentEtag: etags.agentEtag,
    llm,
    llmEtag: etags.llmEtag,
  })
  .meta({ id: 'SaveChatAgentDraftBody' })
export type SaveChatAgentDraftBody = z.output<typeof SaveChatAgentDraftBody>

const saved = {
  agentEtag: z.string().meta({ description: 'The `ETag` of the agent from now on.' }),
  llm: Llm.nullable().meta({
    description: 'The newest version of the LLM configuration that the agent answers with; null with other engines.',
  }),
  llmEtag: z.string().nullable().meta({ description: 'The `ETag` of the LLM configuration from now on.' }),
  warnings: Warnings,
}

export const SavedAgentDraft = z
  .object({ agent: Agent.meta({ description: 'Its newest version.' }), ...saved })
  .meta({ id: 'SavedAgentDraft' })
export type SavedAgentDraft = z.infer<typeof SavedAgentDraft>

export const SavedChatAgentDraft = z
  .object({ agent: ChatAgent.meta({ description: 'Its newest version.' }), ...saved })
  .meta({ id: 'SavedChatAgentDraft' })
export type SavedChatAgentDraft = z.infer<typeof SavedChatAgentDraft>

const DESCRIPTION =
  'Writes both or neither. A record whose newest version was used or published gets its next version; the agent then answers ' +
  'with the newest of its LLM configuration, unless its draft is pinned to another. With an ETag of either, an edit on top of ' +
  'somebody else’s is refused with 412.'

export const saveAgentDraft = defineOperation({
  name: 'saveAgentDraft',
  method: 'PUT',
  path: '/api/agents/{agentId}/draft',
  tag: 'Agents',
  summary: 'Save an agent with its LLM configuration',
  description: DESCRIPTION,
  access: 'write',
  workspace: 'body',
  pathParameters: z.object({ agentId: id().meta({ description: 'The agent, `agent_…`.' }) }),
  body: SaveAgentDraftBody,
  bodyLimitBytes: LLM_BODY_LIMIT_BYTES,
  status: 200,
  result: SavedAgentDraft,
  errors: ['not_found', 'version_conflict'],
})

export const saveChatAgentDraft = defineOperation({
  name: 'saveChatAgentDraft',
  method: 'PUT',
  path: '/api/chat-agents/{agentId}/draft',
  tag: 'Chat Agents',
  summary: 'Save a chat agent with its LLM configuration',
  description: DESCRIPTION,
  access: 'write',
  workspace: 'body',
  pathParameters: z.object({ agentId: id().meta({ description: 'The chat agent, `chat_agent_…`.' }) }),
  body: SaveChatAgentDraftBody,
  bodyLimitBytes: LLM_BODY_LIMIT_BYTES,
  status: 200,
  result: SavedChatAgentDraft,
  errors: ['not_found', 'version_conflict'],
})
