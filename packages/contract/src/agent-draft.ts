import { z } from 'zod'
import { Agent, UpdateAgentBody } from './agent.ts'
import { ChatAgent, UpdateChatAgentBody } from './chat-agent.ts'
import { bodyWorkspace, id, Warnings } from './fields.ts'
import { LLM_BODY_LIMIT_BYTES, Llm, UpdateLlmBody } from './llm.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Operations that save an agent and its LLM configuration together, or neither of them. */

const Etag = z
  .string()
  .regex(/^(?:W\/)?"\d{1,15}"$/, 'must be an ETag with its quotes, such as "\\"3\\""')
  .nullable()
  .optional()

const changeFields = {
  agentEtag: Etag.describe(
    'Last known `ETag` of the agent. The request fails if the agent has changed since then. Null skips the check.',
  ),
  llm: UpdateLlmBody.omit({ workspaceId: true, version: true })
    .meta({ id: 'LlmChanges' })
    .optional()
    .describe('Changed fields of the LLM configuration that the agent uses after this request, as in its PATCH body.'),
  llmEtag: Etag.describe(
    'Last known `ETag` of the LLM configuration. The request fails if the configuration has changed since then. Null skips the check.',
  ),
}
const describeAgentChanges = <Body extends z.ZodObject>(body: Body) =>
  body.optional().describe('Changed fields of the agent, as in its PATCH body.')

export const SaveAgentDraftBody = defineObject('SaveAgentDraftBody', {
  workspaceId: bodyWorkspace(),
  agent: describeAgentChanges(UpdateAgentBody.omit({ workspaceId: true, version: true }).meta({ id: 'AgentChanges' })),
  ...changeFields,
})
export type SaveAgentDraftBody = z.output<typeof SaveAgentDraftBody>

export const SaveChatAgentDraftBody = defineObject('SaveChatAgentDraftBody', {
  workspaceId: bodyWorkspace(),
  agent: describeAgentChanges(
    UpdateChatAgentBody.omit({ workspaceId: true, version: true }).meta({ id: 'ChatAgentChanges' }),
  ),
  ...changeFields,
})
export type SaveChatAgentDraftBody = z.output<typeof SaveChatAgentDraftBody>

const savedFields = {
  agentEtag: z.string().describe('New `ETag` of the agent.'),
  llm: Llm.nullable().describe(
    'Latest version of the LLM configuration of the agent, or null if the agent uses another engine.',
  ),
  llmEtag: z.string().nullable().describe('New `ETag` of the LLM configuration.'),
  warnings: Warnings,
}

export const SavedAgentDraft = defineObject('SavedAgentDraft', {
  agent: Agent.describe('Latest version of the agent.'),
  ...savedFields,
})
export type SavedAgentDraft = z.infer<typeof SavedAgentDraft>

export const SavedChatAgentDraft = defineObject('SavedChatAgentDraft', {
  agent: ChatAgent.describe('Latest version of the agent.'),
  ...savedFields,
})
export type SavedChatAgentDraft = z.infer<typeof SavedChatAgentDraft>

const sharedDefinition = {
  description:
    'Saves the agent and its LLM configuration together, or neither of them. A record whose latest version is used or ' +
    'published gets a new version, and the agent uses the latest version of its LLM configuration unless its draft pins ' +
    'another version. With an ETag, the request fails with 412 if the record has changed since then.',
  access: 'write',
  bodyLimitBytes: LLM_BODY_LIMIT_BYTES,
  errors: ['version_conflict'],
} as const

export const saveAgentDraft = defineOperation({
  ...sharedDefinition,
  name: 'saveAgentDraft',
  route: 'PUT /api/agents/{agentId}/draft',
  tag: 'Agents',
  summary: 'Save an agent with its LLM configuration',
  pathParameters: z.object({ agentId: id().describe('ID of the agent (`agent_…`).') }),
  body: SaveAgentDraftBody,
  result: SavedAgentDraft,
})

export const saveChatAgentDraft = defineOperation({
  ...sharedDefinition,
  name: 'saveChatAgentDraft',
  route: 'PUT /api/chat-agents/{agentId}/draft',
  tag: 'Chat Agents',
  summary: 'Save a chat agent with its LLM configuration',
  pathParameters: z.object({ agentId: id().describe('ID of the chat agent (`chat_agent_…`).') }),
  body: SaveChatAgentDraftBody,
  result: SavedChatAgentDraft,
})
