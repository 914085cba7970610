import type { Clock, MakeId } from '@parley/engine/ports'
import type { Transaction } from '../../kernel/database.ts'
import type { PasswordLinks } from './member-ports.ts'
import { deletePeopleOnlyIn, findPersonByEmail, insertPerson } from './people-store.ts'
import type { Person } from './person.ts'

/** How long a link to choose a password works. */
export const PASSWORD_LINK_MS = 7 * 24 * 60 * 60 * 1000

/** Who is asked in, as the caller names it. */
export interface Invited {
  readonly email: string
  readonly name?: string | null | undefined
  /** The tenant that asks; null for a provider. */
  readonly accountSid: string | null
}

export interface Invitation {
  readonly inviteUrl: string | null
  readonly inviteExpiresAt: string | null
}

export interface People {
  /** The person with this address, made when there is none; somebody new gets a link to choose a password. */
  provide(
    transaction: Transaction,
    invited: Invited,
  ): Promise<{ readonly person: Person; readonly invitation: Invitation }>
  /** To be called before a workspace is deleted: forgets those who were only invited, and only to it. */
  forgetInvitedOf(transaction: Transaction, workspaceId: number): Promise<void>
}

export interface PeopleDependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly makeId: MakeId
  readonly passwordLinks: PasswordLinks
}

const NO_INVITATION: Invitation = { inviteUrl: null, inviteExpiresAt: null }

export function createPeople({ clock, makeId, passwordLinks }: PeopleDependencies): People {
  return {
    async provide(transaction, invited) {
      const email = invited.email.toLowerCase()
      const known = await findPersonByEmail(transaction, email)
      if (known !== null) return { person: known, invitation: NO_INVITATION }
      const person: Person = {
        userId: makeId('user'),
        email,
        name: invited.name ?? '',
        hasPassword: false,
        role: 'end_user',
        providerId: null,
        accountSid: null,
        homeAccountSid: invited.accountSid,
        createdAt: clock.now(),
      }
      if (!(await insertPerson(transaction, person))) {
        // Somebody else was faster.
        const other = await findPersonByEmail(transaction, email)
        if (other !== null) return { person: other, invitation: NO_INVITATION }
      }
      const { url, expiresAt } = await passwordLinks.create(transaction, person.userId, PASSWORD_LINK_MS)
      return { person, invitation: { inviteUrl: url, inviteExpiresAt: new Date(expiresAt).toISOString() } }
    },

    forgetInvitedOf: deletePeopleOnlyIn,
  }
}
