import { getSigningSecret, rotateSigningSecret } from '@parley/contract/signing-secret'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { SigningSecretService } from './signing-secret-service.ts'

/** Mounts the operations of the signing secret. */
export function registerSigningSecretRoutes(api: Api, service: Pick<SigningSecretService, 'get' | 'rotate'>): void {
  implement(
    api,
    getSigningSecret,
  )(async (_input, { workspaceId }) => ({ secrets: [...(await service.get(workspaceId))] }))

  implement(
    api,
    rotateSigningSecret,
  )(async (_input, { workspaceId }) => ({
    secrets: [...(await service.rotate(workspaceId))],
  }))
}
