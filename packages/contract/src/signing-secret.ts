import { z } from 'zod'
import { bodyWorkspace, DateTime, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Secrets that sign requests to servers of a workspace. */

export const SigningSecret = z
  .object({
    secretId: z.string(),
    secret: z.string().meta({ description: 'Key of the signatures (`whsec_…`).' }),
    createdAt: DateTime,
    expiresAt: DateTime.nullable().meta({
      description: 'Set by a rotation. Until then, the secret signs together with the new one.',
    }),
  })
  .meta({ id: 'SigningSecret' })
export type SigningSecret = z.infer<typeof SigningSecret>

export const SigningSecretList = z
  .object({ secrets: z.array(SigningSecret).meta({ description: 'Active secrets, newest first.' }) })
  .meta({ id: 'SigningSecretList' })
export type SigningSecretList = z.infer<typeof SigningSecretList>

export const getSigningSecret = defineOperation({
  name: 'getSigningSecret',
  method: 'GET',
  path: '/api/signing-secret',
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
  method: 'POST',
  path: '/api/signing-secret/rotate',
  tag: 'Account',
  summary: 'Rotate the signing secret',
  description: 'Creates a new secret. The previous one stays active for 24 hours, so that receivers can switch.',
  access: 'admin',
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'RotateSigningSecretBody' }),
  result: SigningSecretList,
})
