import { z } from 'zod'
import { SCOPES } from './access.ts'
import { DateTime, id, WorkspaceId } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** API tokens: what programs call the API with. Only their digests are stored. */

const MAX_WORKSPACES = 500

/** What a token may do, each word once. */
const ScopeList = z
  .array(z.enum(SCOPES))
  .min(1)
  .max(20)
  .transform((scopes) => [...new Set(scopes)])

const WorkspaceIdList = z
  .array(WorkspaceId)
  .min(1)
  .max(MAX_WORKSPACES)
  .transform((ids) => [...new Set(ids)])

export const ApiToken = z
  .object({
    tokenId: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'What it may do, within the rights of its owner.' }),
    workspaceIds: z
      .array(z.int())
      .nullable()
      .meta({ description: 'The workspaces that it is limited to; null: all that its owner reaches.' }),
    expiresAt: DateTime.nullable().meta({ description: 'When it stops working; null: never.' }),
    lastUsedAt: DateTime.nullable().meta({ description: 'Exact to a minute; null until it is used.' }),
    createdAt: DateTime,
  })
  .meta({ id: 'ApiToken' })
export type ApiToken = z.infer<typeof ApiToken>

export const NewApiToken = ApiToken.extend({
  token: z.string().meta({ description: 'The token itself, `sk_…`: shown here and never again.' }),
}).meta({ id: 'NewApiToken' })
export type NewApiToken = z.infer<typeof NewApiToken>

export const CreateTokenBody = z
  .object({
    name: z.string().min(1).max(200).meta({ description: 'What the token is for, so that people know it again.' }),
    scopes: ScopeList.nullable().optional().meta({ description: 'All that the caller has when absent.' }),
    workspaceIds: WorkspaceIdList.nullable()
      .optional()
      .meta({ description: 'Limits it to these; all that the caller reaches when absent.' }),
    expiresAt: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 date-time such as 2030-01-31T12:00:00Z' })
      .transform((time) => Date.parse(time))
      .nullable()
      .optional()
      .meta({ description: 'When it stops working; never when absent, or when the token of the caller does.' }),
  })
  .meta({ id: 'CreateTokenBody' })
export type CreateTokenBody = z.output<typeof CreateTokenBody>

const TAG = 'Account'

export const listTokens = defineOperation({
  name: 'listTokens',
  method: 'GET',
  path: '/api/tokens',
  tag: TAG,
  summary: 'List API tokens',
  description:
    'The tokens of the caller, or of a person whom it administers, newest first. Revoked ones are left out, and for a caller ' +
    'with a token also those with rights that its own token lacks; a page can then have fewer items than its limit.',
  access: 'own-tokens',
  workspace: 'none',
  query: pagingQuery(EXTENSION_LIST_LIMIT)
    .omit({ workspaceId: true })
    .extend({ userId: id().optional().meta({ description: 'Another person; the caller when absent.' }) }),
  status: 200,
  result: z.array(ApiToken),
  errors: ['not_found'],
  features: ['paged'],
})

export const createToken = defineOperation({
  name: 'createToken',
  method: 'POST',
  path: '/api/tokens',
  tag: TAG,
  summary: 'Create an API token',
  description:
    'Makes a token of the caller that may do at most what the caller may, and lives no longer. It is shown once. A login of ' +
    'the dashboard needs a password confirmed within the last 10 minutes: see `POST /api/auth/confirm-password`.',
  access: 'own-tokens',
  workspace: 'none',
  body: CreateTokenBody,
  status: 201,
  result: NewApiToken,
  errors: ['workspace_forbidden', 'reauthentication_required'],
})

export const deleteToken = defineOperation({
  name: 'deleteToken',
  method: 'DELETE',
  path: '/api/tokens/{tokenId}',
  tag: TAG,
  summary: 'Revoke an API token',
  description:
    'Ends a token of the caller, or of a person whom it administers, for good: at once here, within 5 seconds everywhere. ' +
    'A caller with a token can end that token, and those that have no rights beyond its own.',
  access: 'own-tokens',
  workspace: 'none',
  pathParameters: z.object({ tokenId: id().meta({ description: 'The token, `token_…`, never the token itself.' }) }),
  status: 204,
  errors: ['not_found'],
})
