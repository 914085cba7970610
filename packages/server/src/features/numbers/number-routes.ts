import {
  assignNumberAgents,
  createNumber,
  deleteNumber,
  getNumber,
  importNumber,
  listNumbers,
  updateNumber,
  verifyNumber,
} from '@parley/contract/phone-number'
import { type Api, implement, respondWithEtag, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { NumberService } from './number-service.ts'

/** Registers the phone number routes. */
export function registerNumberRoutes(api: Api, service: NumberService): void {
  implement(api, assignNumberAgents, async ({ path, body }, context) => {
    const { workspaceId, ifMatch, actor } = context
    return respondWithEtag(context, await service.assign({ workspaceId, number: path.number, ifMatch, actor }, body))
  })

  implement(api, listNumbers, async ({ query }, context) => {
    const filter = { workspaceId: context.workspaceId, agentId: query.agentId }
    return respondWithPage(context, await service.list(filter, parsePageRequest(query)))
  })

  implement(api, createNumber, async ({ body }, context) =>
    respondWithEtag(context, await service.create(context.workspaceId, body)),
  )

  implement(api, importNumber, async ({ body }, context) =>
    respondWithEtag(context, await service.import(context.workspaceId, body)),
  )

  implement(api, getNumber, async ({ path }, context) =>
    respondWithEtag(context, await service.get(context.workspaceId, path.number)),
  )

  implement(api, updateNumber, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    return respondWithEtag(context, await service.update({ workspaceId, number: path.number, ifMatch }, body))
  })

  implement(api, verifyNumber, ({ path }, { workspaceId }) => service.verify(workspaceId, path.number))

  implement(api, deleteNumber, ({ path }, { workspaceId, ifMatch }) =>
    service.remove({ workspaceId, number: path.number, ifMatch }),
  )
}
