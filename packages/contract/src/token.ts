import { z } from 'zod'
import { SCOPES } from './access.ts'
import { DateTime, id, WorkspaceId } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** API tokens. Only their digests are stored. */

const MAX_WORKSPACES = 500

/** Scopes of a token, without duplicates. */
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

export const ApiToken = defineObject('ApiToken', {
  tokenId: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)).describe('Scopes of the token, limited by the rights of its owner.'),
  workspaceIds: z
    .array(z.int())
    .nullable()
    .describe('IDs of accessible workspaces. If null, the token can access all of the owner’s workspaces.'),
  expiresAt: DateTime.nullable().describe('Time when the token expires, or null if it does not expire.'),
  lastUsedAt: DateTime.nullable().describe(
    'Time of the last use, accurate to the minute, or null if the token has not been used.',
  ),
  createdAt: DateTime,
})
export type ApiToken = z.infer<typeof ApiToken>

export const NewApiToken = ApiToken.extend({
  token: z.string().describe('Secret token (`sk_…`), returned only once.'),
}).meta({ id: 'NewApiToken' })
export type NewApiToken = z.infer<typeof NewApiToken>

export const CreateTokenBody = defineObject('CreateTokenBody', {
  name: z.string().min(1).max(200).describe('Display name.'),
  scopes: ScopeList.nullable().optional().describe('Scopes of the token. Defaults to all your scopes.'),
  workspaceIds: WorkspaceIdList.nullable()
    .optional()
    .describe('IDs of accessible workspaces. Defaults to all your workspaces.'),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 date-time such as 2030-01-31T12:00:00Z' })
    .transform((time) => Date.parse(time))
    .nullable()
    .optional()
    .describe('Time when the token expires. Defaults to never, or to the expiration of your own token.'),
})
export type CreateTokenBody = z.output<typeof CreateTokenBody>

const TAG = 'Account'

export const listTokens = defineOperation({
  name: 'listTokens',
  route: 'GET /api/tokens',
  tag: TAG,
  summary: 'List API tokens',
  description:
    'Returns your tokens, or the tokens of a user that you administer, newest first. Excludes revoked tokens. If you ' +
    'authenticate with a token, also excludes tokens with additional rights, so pages can have fewer items than the limit.',
  access: 'own-tokens',
  workspace: 'none',
  query: pagingQuery(EXTENSION_LIST_LIMIT)
    .omit({ workspaceId: true })
    .extend({ userId: id().optional().describe('ID of another user. Defaults to you.') }),
  result: z.array(ApiToken),
  errors: ['not_found'],
  features: ['paged'],
})

export const createToken = defineOperation({
  name: 'createToken',
  route: 'POST /api/tokens',
  tag: TAG,
  summary: 'Create an API token',
  description:
    'Creates a token with at most your own rights and expiration. The token is returned only once. A dashboard session ' +
    'must have confirmed its password within the last 10 minutes; see `POST /api/auth/confirm-password`.',
  access: 'own-tokens',
  workspace: 'none',
  body: CreateTokenBody,
  status: 201,
  result: NewApiToken,
  errors: ['workspace_forbidden', 'reauthentication_required'],
})

export const deleteToken = defineOperation({
  name: 'deleteToken',
  route: 'DELETE /api/tokens/{tokenId}',
  tag: TAG,
  summary: 'Revoke an API token',
  description:
    'Permanently revokes your token, or the token of a user that you administer: immediately on this server, and within 5 ' +
    'seconds on all other servers. A token can revoke itself and tokens that have no additional rights.',
  access: 'own-tokens',
  workspace: 'none',
  pathParameters: z.object({
    tokenId: id().describe('ID of the token (`token_…`), not the token itself.'),
  }),
})
