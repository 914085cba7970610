import type { Administrator } from '@parley/contract/member'
import { AppError } from '../../kernel/errors.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import {
  demoteAdministrators,
  findAdministrators,
  findAdministratorWorkspaces,
  hasAdministratorWithEmail,
} from './administrator-store.ts'
import { findInvitations } from './invitation-store.ts'
import type { Invitations } from './invitations.ts'
import type { AdministratorScope, Administrators } from './member-ports.ts'
import { deleteAbandonedPerson } from './people-store.ts'
import { buildInvitedFields, buildPersonFields, canSeeName, mergeNewest, type Person } from './person.ts'

export function createAdministratorService({
  database,
  invitations,
}: {
  readonly database: Database
  readonly invitations: Invitations
}): Administrators {
  async function revokeAdministrator(
    transaction: Transaction,
    scope: AdministratorScope,
    userId: string | null,
  ): Promise<boolean> {
    const isRevoked = await invitations.revoke(transaction, scope, userId)
    const demotedUserIds = await demoteAdministrators(transaction, scope, userId)
    for (const id of demotedUserIds) await deleteAbandonedPerson(transaction, id)
    return isRevoked || demotedUserIds.length > 0
  }

  return {
    async list(actor, scope, page) {
      const [people, invitedPeople, workspaces] = await Promise.all([
        findAdministrators(database.read, scope, page),
        findInvitations(database.read, scope, page),
        findAdministratorWorkspaces(database.read, scope),
      ])
      const toItem = (person: Person): Administrator => {
        const workspaceIds = workspaces.get(person.userId) ?? []
        // Names of people without a workspace are visible, because the list reveals their role anyway.
        return toAdministrator(
          person,
          workspaceIds.length === 0 || canSeeName(actor, person, workspaceIds) ? person.name : '',
        )
      }
      return mergeNewest(
        [
          { ...people, items: people.items.map(toItem) },
          { ...invitedPeople, items: invitedPeople.items.map(buildInvitedFields) },
        ],
        page.limit,
        ({ createdAt, userId }) => ({ sortValue: Date.parse(createdAt), id: userId }),
      )
    },

    async invite(transaction, scope, body) {
      if (await hasAdministratorWithEmail(transaction, scope, body.email.toLowerCase())) {
        throw new AppError('id_taken', 'A person with this email address is already an administrator here.')
      }
      const { invitation, link } = await invitations.invite(transaction, scope, { ...body, role: scope.role })
      return { ...buildInvitedFields(invitation), ...link }
    },

    remove: (transaction, scope, userId) => revokeAdministrator(transaction, scope, userId),

    async removeAll(transaction, scope) {
      await revokeAdministrator(transaction, scope, null)
    },
  }
}

function toAdministrator(person: Person, name: string): Administrator {
  return { ...buildPersonFields(person, name), createdAt: new Date(person.createdAt).toISOString() }
}
