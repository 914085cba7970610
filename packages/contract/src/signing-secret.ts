import { z } from 'zod'
import { bodyWorkspace, DateTime, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'

/** The secret that signs what is sent to a workspace's own servers. */

export const SigningSecret = z
  .object({
    secretId: z.string(),
    secret: z.string().meta({ description: 'The key of the signatures, `whsec_…`.' }),
    createdAt: DateTime,
    expiresAt: DateTime.nullable().meta({ description: 'Set by rotation: until then it signs beside the new one.' }),
  })
  .meta({ id: 'SigningSecret' })
export type SigningSecret = z.infer<typeof SigningSecret>

export const SigningSecretList = z
  .object({ secrets: z.array(SigningSecret).meta({ description: 'All that sign now, newest first.' }) })
  .meta({ id: 'SigningSecretList' })
export type SigningSecretList = z.infer<typeof SigningSecretList>

export const getSigningSecret = defineOperation({
  name: 'getSigningSecret',
  method: 'GET',
  path: '/api/signing-secret',
  tag: 'Account',
  summary: 'Read the signing secret',
  description: 'The secrets that sign tool calls and webhooks of the workspace now: two while a rotation lasts.',
  access: 'admin',
  workspace: 'query',
  query: WorkspaceQuery,
  status: 200,
  result: SigningSecretList,
})

export const rotateSigningSecret = defineOperation({
  name: 'rotateSigningSecret',
  method: 'POST',
  path: '/api/signing-secret/rotate',
  tag: 'Account',
  summary: 'Rotate the signing secret',
  description:
    'Makes a new secret. The old one signs beside it for another 24 hours, so that receivers can change over.',
  access: 'admin',
  workspace: 'body',
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'RotateSigningSecretBody' }),
  status: 200,
  result: SigningSecretList,
})
