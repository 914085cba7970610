import { createToken, deleteToken, listTokens } from '@parley/contract/token'
import { type Api, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { TokenService } from './token-service.ts'

/** Registers the API token routes. */
export function registerTokenRoutes(api: Api, service: TokenService): void {
  implement(api, listTokens, async ({ query }, context) => {
    return respondWithPage(
      context,
      await service.list(context.actor, query.userId ?? context.actor.userId, parsePageRequest(query)),
    )
  })

  implement(api, createToken, ({ body }, { actor }) => service.create(actor, body))

  implement(api, deleteToken, ({ path }, { actor }) => service.revoke(actor, path.tokenId))
}
