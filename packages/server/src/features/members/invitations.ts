import type { Clock, MakeId } from '@parley/engine/ports'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { InvitationRow } from '../../tables/tenancy-tables.ts'
import {
  buildTargetColumns,
  deleteInvitationsTo,
  findInvitationByEmail,
  type InvitationTarget,
  insertInvitation,
  updateInvitation,
} from './invitation-store.ts'
import type { LinkTokens } from './member-ports.ts'
import { deleteAbandonedPerson, deleteWorkspaceOnlyPeople } from './people-store.ts'

/** Lifetime of invitation and password links. */
export const LINK_TTL_MS = 7 * 24 * 60 * 60 * 1000

interface Invitee {
  readonly email: string
  readonly name?: string | null | undefined
  /** Role after the invitation is accepted. */
  readonly role: string
}

/** An invitation link, which is returned only once. */
interface InvitationLink {
  readonly inviteUrl: string
  readonly inviteExpiresAt: string
}

export interface Invitations {
  /**
   * Invites a person, or replaces the link of an open invitation. Does not reveal whether the email address has an account.
   */
  invite(
    transaction: Transaction,
    target: InvitationTarget,
    invitee: Invitee,
  ): Promise<{ readonly invitation: InvitationRow; readonly link: InvitationLink }>
  /** Creates a new link. The earlier link stops working. */
  renew(transaction: Transaction, invitation: InvitationRow): Promise<InvitationLink>
  /** Revokes one or all invitations. Returns false if there were none. */
  revoke(transaction: Transaction, target: InvitationTarget, userId: string | null): Promise<boolean>
  /** Deletes accounts that belong only to this workspace. Must be called before the workspace is deleted. */
  deleteWorkspaceOnlyUsers(transaction: Transaction, workspaceId: number): Promise<void>
}

interface InvitationDependencies {
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly linkTokens: LinkTokens
}

export function createInvitations({ clock, makeId, linkTokens }: InvitationDependencies): Invitations {
  function createLink() {
    const { url, tokenHash } = linkTokens.create('accept-invitation')
    const expiresAt = clock.now() + LINK_TTL_MS
    return {
      columns: { token_hash: tokenHash, expires_at: expiresAt },
      link: { inviteUrl: url, inviteExpiresAt: new Date(expiresAt).toISOString() },
    }
  }

  return {
    async invite(transaction, target, { email: requestedEmail, name, role }) {
      const email = requestedEmail.toLowerCase()
      const { columns, link } = createLink()
      const existing = await findInvitationByEmail(transaction, target, email)
      if (existing !== null) {
        const changes = { ...columns, role, name: name ?? existing.name }
        await updateInvitation(transaction, existing.invitation_id, changes)
        return { invitation: { ...existing, ...changes }, link }
      }
      const invitation = {
        invitation_id: makeId('link'),
        ...columns,
        email,
        name: name ?? '',
        user_id: makeId('user'),
        ...buildTargetColumns(target),
        role,
        created_at: clock.now(),
      }
      await insertInvitation(transaction, invitation)
      return { invitation, link }
    },

    async renew(transaction, invitation) {
      const { columns, link } = createLink()
      await updateInvitation(transaction, invitation.invitation_id, columns)
      return link
    },

    async revoke(transaction, target, userId) {
      const revokedUserIds = await deleteInvitationsTo(transaction, target, userId)
      // A person who set a password but never accepted an invitation has no other access.
      for (const id of revokedUserIds) await deleteAbandonedPerson(transaction, id)
      return revokedUserIds.length > 0
    },

    deleteWorkspaceOnlyUsers: deleteWorkspaceOnlyPeople,
  }
}
