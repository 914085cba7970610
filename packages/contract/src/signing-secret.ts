import { z } from 'zod'
import { bodyWorkspace, DateTime, WorkspaceQuery } from './fields.ts'
import { namedObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Secrets that sign requests to servers of a workspace. */

export const SigningSecret = namedObject('SigningSecret', {
  secretId: z.string(),
  secret: z.string().describe('Key of the signatures (`whsec_…`).'),
  createdAt: DateTime,
  expiresAt: DateTime.nullable().describe('Set by a rotation. Until then, the secret signs together with the new one.'),
})
export type SigningSecret = z.infer<typeof SigningSecret>

export const SigningSecretList = namedObject('SigningSecretList', {
  secrets: z.array(SigningSecret).describe('Active secrets, newest first.'),
})
export type SigningSecretList = z.infer<typeof SigningSecretList>

export const getSigningSecret = defineOperation({
  name: 'getSigningSecret',
  route: 'GET /api/signing-secret',
  tag: 'Account',
  summary: 'Get the signing secret',
  description:
    'Returns the secrets that sign tool calls and webhooks of the workspace. During a rotation, there are two.',
  access: 'admin',
  query: WorkspaceQuery,
  result: SigningSecretList,
})

export const rotateSigningSecret = defineOperation({
  name: 'rotateSigningSecret',
  route: 'POST /api/signing-secret/rotate',
  tag: 'Account',
  summary: 'Rotate the signing secret',
  description: 'Creates a new secret. The previous one stays active for 24 hours, so that receivers can switch.',
  access: 'admin',
  body: namedObject('RotateSigningSecretBody', { workspaceId: bodyWorkspace() }),
  result: SigningSecretList,
})
