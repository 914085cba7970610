import { z } from 'zod'
import { CallResponse } from './call.ts'
import { newConversationFields } from './conversation-fields.ts'
import { bodyWorkspace, id, orDefault } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Calls that people join in a browser. */

export const CreateWebCallBody = defineObject('CreateWebCallBody', {
  workspaceId: bodyWorkspace().describe('ID of the workspace. Inferred from the agent if omitted.'),
  agentId: id().describe('ID of an agent with a voice.'),
  ...newConversationFields,
  optOutSensitiveDataStorage: orDefault(
    z.boolean().describe('Whether to discard the transcript, recording and variables after the call.'),
    () => false,
  ),
})
export type CreateWebCallBody = z.output<typeof CreateWebCallBody>

export const createWebCall = defineOperation({
  name: 'createWebCall',
  route: 'POST /api/v1/calls/web',
  tag: 'Calls',
  summary: 'Create a web call',
  description:
    'Creates a call that a person can join once in a browser, with `accessToken` or on the page `webCallUrl`, ' +
    'within ten minutes. A concurrency slot is reserved for one minute; after that, joining requires a free slot.',
  access: 'calls',
  workspace: 'inferred',
  body: CreateWebCallBody,
  status: 201,
  result: CallResponse,
  errors: [
    'not_found',
    'workspace_forbidden',
    'engine_unavailable',
    'model_not_configured',
    'concurrency_limit_reached',
  ],
})
