import { z } from 'zod'
import { bodyWorkspace, DateTime, text, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Named secrets of a workspace, which its tools and MCP servers use without anybody seeing the values. */

export const SECRET_NAME = /^[a-z][a-z0-9_]{0,63}$/
export const SECRET_NAME_RULE = 'must be 1 to 64 of a-z, 0-9 and "_", beginning with a letter'

export const WorkspaceSecret = z
  .object({
    name: z.string().meta({ description: 'As tools refer to it: `{{secrets.name}}`.' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'WorkspaceSecret' })
export type WorkspaceSecret = z.output<typeof WorkspaceSecret>

export const PutWorkspaceSecretBody = z
  .object({
    workspaceId: bodyWorkspace(),
    value: text(8 * 1024)
      .min(1)
      .meta({ description: 'At most 8 KiB; stored encrypted and never answered again.' }),
  })
  .meta({ id: 'PutWorkspaceSecretBody' })
export type PutWorkspaceSecretBody = z.output<typeof PutWorkspaceSecretBody>

const SecretPath = z.object({
  name: z.string().meta({ description: 'Name of the secret: 1 to 64 of a-z, 0-9 and "_", beginning with a letter.' }),
})
const TAG = 'Account'

export const listWorkspaceSecrets = defineOperation({
  name: 'listWorkspaceSecrets',
  method: 'GET',
  path: '/api/workspace-secrets',
  tag: TAG,
  summary: 'List workspace secrets',
  description: 'The names of the secrets, in alphabetical order. Values are never answered.',
  access: 'admin',
  workspace: 'query',
  query: WorkspaceQuery,
  status: 200,
  result: z.array(WorkspaceSecret),
})

export const putWorkspaceSecret = defineOperation({
  name: 'putWorkspaceSecret',
  method: 'PUT',
  path: '/api/workspace-secrets/{name}',
  tag: TAG,
  summary: 'Store a workspace secret',
  description:
    'Creates or replaces a secret. Tools and MCP servers use it as `{{secrets.name}}` in addresses, headers and query ' +
    'parameters, from their next call on. A workspace has at most 100.',
  access: 'admin',
  workspace: 'body',
  pathParameters: SecretPath,
  body: PutWorkspaceSecretBody,
  status: 200,
  result: WorkspaceSecret,
})

export const deleteWorkspaceSecret = defineOperation({
  name: 'deleteWorkspaceSecret',
  method: 'DELETE',
  path: '/api/workspace-secrets/{name}',
  tag: TAG,
  summary: 'Delete a workspace secret',
  description: 'Removes the secret for good. Calls of tools that name it fail from then on.',
  access: 'admin',
  workspace: 'query',
  pathParameters: SecretPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found'],
})
