import { z } from 'zod'
import { bodyWorkspace, DateTime, WorkspaceQuery } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Secrets that sign requests to a workspace's servers. */

export const SigningSecret = defineObject('SigningSecret', {
  secretId: z.string(),
  secret: z.string().describe('Signing key (`whsec_…`).'),
  createdAt: DateTime,
  expiresAt: DateTime.nullable().describe(
    'Time when the secret expires after a rotation. Until then, requests are signed with both secrets.',
  ),
})
export type SigningSecret = z.infer<typeof SigningSecret>

export const SigningSecretList = defineObject('SigningSecretList', {
  secrets: z.array(SigningSecret).describe('Active secrets, newest first.'),
})
export type SigningSecretList = z.infer<typeof SigningSecretList>

export const getSigningSecret = defineOperation({
  name: 'getSigningSecret',
  route: 'GET /api/signing-secret',
  tag: 'Account',
  summary: 'Get the signing secret',
  description:
    'Returns the secrets that sign the workspace’s tool calls and webhooks. During a rotation, there are two secrets.',
  access: 'admin',
  query: WorkspaceQuery,
  result: SigningSecretList,
})

export const rotateSigningSecret = defineOperation({
  name: 'rotateSigningSecret',
  route: 'POST /api/signing-secret/rotate',
  tag: 'Account',
  summary: 'Rotate the signing secret',
  description: 'Creates a new secret. The previous secret remains active for 24 hours, so that receivers can switch.',
  access: 'admin',
  body: defineObject('RotateSigningSecretBody', { workspaceId: bodyWorkspace() }),
  result: SigningSecretList,
})
