import { z } from 'zod'
import { bodyWorkspace, DateTime, text, WorkspaceQuery } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Named secrets of a workspace. Tools and MCP servers can use them without revealing their values. */

export const SECRET_NAME = /^[a-z][a-z0-9_]{0,63}$/
export const SECRET_NAME_RULE = 'must be 1 to 64 of a-z, 0-9 and "_", starting with a letter'

export const WorkspaceSecret = defineObject('WorkspaceSecret', {
  name: z.string().describe('Name of the secret. Tools refer to it as `{{secrets.name}}`.'),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type WorkspaceSecret = z.output<typeof WorkspaceSecret>

export const PutWorkspaceSecretBody = defineObject('PutWorkspaceSecretBody', {
  workspaceId: bodyWorkspace(),
  value: text(8 * 1024)
    .min(1)
    .describe('Value of at most 8 KiB, stored encrypted and never returned.'),
})
export type PutWorkspaceSecretBody = z.output<typeof PutWorkspaceSecretBody>

const SecretPath = z.object({
  name: z.string().describe('Name of the secret: 1 to 64 of a-z, 0-9 and "_", starting with a letter.'),
})
const TAG = 'Account'

export const listWorkspaceSecrets = defineOperation({
  name: 'listWorkspaceSecrets',
  route: 'GET /api/workspace-secrets',
  tag: TAG,
  summary: 'List workspace secrets',
  description: 'Returns the names of the secrets in alphabetical order, without their values.',
  access: 'admin',
  query: WorkspaceQuery,
  result: z.array(WorkspaceSecret),
})

export const putWorkspaceSecret = defineOperation({
  name: 'putWorkspaceSecret',
  route: 'PUT /api/workspace-secrets/{name}',
  tag: TAG,
  summary: 'Store a workspace secret',
  description:
    'Creates or replaces a secret. Tools and MCP servers refer to it as `{{secrets.name}}` in URLs, headers and ' +
    'query parameters. Changes apply from the next call. A workspace can have at most 100 secrets.',
  access: 'admin',
  pathParameters: SecretPath,
  body: PutWorkspaceSecretBody,
  result: WorkspaceSecret,
})

export const deleteWorkspaceSecret = defineOperation({
  name: 'deleteWorkspaceSecret',
  route: 'DELETE /api/workspace-secrets/{name}',
  tag: TAG,
  summary: 'Delete a workspace secret',
  description: 'Permanently deletes the secret. Subsequent calls to tools that refer to the secret fail.',
  access: 'admin',
  pathParameters: SecretPath,
  query: WorkspaceQuery,
})
