import { addMember, createPasswordLink, listMembers, removeMember, updateMember } from '@parley/contract/member'
import { acceptInvitation } from '@parley/contract/session'
import { type Api, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { InvitationService } from './invitation-service.ts'
import type { MemberService } from './member-service.ts'

/** Registers the operations of workspace members. */
export function registerMemberRoutes(api: Api, service: MemberService): void {
  implement(api, listMembers, async ({ query }, context) => {
    return respondWithPage(context, await service.list(context.actor, context.workspaceId, parsePageRequest(query)))
  })

  implement(api, addMember, ({ body }, { workspaceId }) => service.invite(workspaceId, body))

  implement(api, updateMember, ({ path, body }, { actor, workspaceId }) =>
    service.update(actor, { workspaceId, userId: path.userId }, body.role),
  )

  implement(api, removeMember, ({ path }, { workspaceId }) => service.remove({ workspaceId, userId: path.userId }))

  implement(api, createPasswordLink, ({ path }, { actor, workspaceId }) =>
    service.createPasswordLink(actor, { workspaceId, userId: path.userId }),
  )
}

/** Registers the operation that accepts invitations. */
export function registerInvitationRoutes(api: Api, service: Pick<InvitationService, 'accept'>): void {
  implement(api, acceptInvitation, ({ body }, { actor }) => service.accept(actor, body.token))
}
