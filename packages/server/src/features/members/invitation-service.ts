import type { AcceptedInvitation } from '@parley/contract/session'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { InvitationRow } from '../../tables/tenancy-tables.ts'
import { promoteToAdministrator } from './administrator-store.ts'
import { deleteInvitation, findInvitationByEmail, findInvitationByToken, insertInvitation } from './invitation-store.ts'
import { LINK_TTL_MS } from './invitations.ts'
import type { AccessCache, AdministratorScope, GuessThrottle } from './member-ports.ts'
import { deleteMembershipsOutside, findWorkspaceTenant, insertMember } from './member-store.ts'
import { deleteAbandonedPerson, findPerson, findPersonByEmail, insertPerson } from './people-store.ts'
import type { Person } from './person.ts'

interface InvitationServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly access: AccessCache & { hashToken(token: string): string }
  readonly throttle: GuessThrottle
}

export interface InvitationService {
  /**
   * Grants the invited role to the actor. Throws `link_invalid` if the link is unknown, used, revoked or expired. Throws
   * `forbidden` for another person's invitation, and `in_use` if the actor already administers a tenant or reseller.
   */
  accept(actor: Actor, token: string): Promise<AcceptedInvitation>
  /**
   * Returns the email address of a pending invitation if the invited person has not set a account yet. Returns null for any
   * other link.
   */
  findInvitedEmail(reader: Reader, tokenHash: string): Promise<string | null>
  /**
   * Creates an account for an invited person. The account has no access until the invitation is accepted. Returns null if
   * `findInvitedEmail` returns null.
   */
  createUser(
    transaction: Transaction,
    tokenHash: string,
    passwordHash: string,
  ): Promise<{ readonly linkId: string; readonly userId: string } | null>
  /** Turns the person's memberships in all other workspaces into invitations without a link. */
  suspendMembershipsOutside(transaction: Transaction, userId: string, workspaceIds: readonly number[]): Promise<void>
}

/** Creates the service that accepts invitations and creates accounts for invited people. */
export function createInvitationService(dependencies: InvitationServiceDependencies): InvitationService {
  const { clock, makeId } = dependencies

  return {
    accept: (actor, token) => acceptInvitation(dependencies, actor, token),

    findInvitedEmail: async (reader, tokenHash) =>
      (await findInvitationForNewPerson(reader, tokenHash, clock.now()))?.email ?? null,

    async createUser(transaction, tokenHash, passwordHash) {
      const invitation = await findInvitationForNewPerson(transaction, tokenHash, clock.now())
      if (invitation === null) return null
      const { workspace_id: workspaceId, email, name, user_id, invitation_id } = invitation
      const existingPerson = await findPersonByEmail(transaction, email)
      // Deletes an unfinished account of another link, including its password, sessions and tokens.
      if (existingPerson !== null) await deleteAbandonedPerson(transaction, existingPerson.userId)
      const homeAccountSid =
        workspaceId === null ? invitation.account_sid : await findWorkspaceTenant(transaction, workspaceId)
      await insertPerson(transaction, {
        user_id,
        email,
        name,
        password_hash: passwordHash,
        role: 'end_user',
        provider_id: null,
        account_sid: null,
        home_account_sid: homeAccountSid,
        created_at: clock.now(),
      })
      return { linkId: invitation_id, userId: user_id }
    },

    async suspendMembershipsOutside(transaction, userId, workspaceIds) {
      const person = await findPerson(transaction, userId)
      if (person === null) return
      const now = clock.now()
      for (const { workspaceId, role } of await deleteMembershipsOutside(transaction, userId, workspaceIds)) {
        if ((await findInvitationByEmail(transaction, { workspaceId }, person.email)) !== null) continue
        await insertInvitation(transaction, {
          invitation_id: makeId('link'),
          token_hash: null,
          email: person.email,
          name: '',
          user_id: userId,
          workspace_id: workspaceId,
          account_sid: null,
          provider_id: null,
          role,
          expires_at: now,
          created_at: now,
        })
      }
    },
  }
}

async function findInvitationForNewPerson(
  reader: Reader,
  tokenHash: string,
  now: number,
): Promise<InvitationRow | null> {
  const invitation = await findInvitationByToken(reader, tokenHash, now)
  if (invitation === null) return null
  const person = await findPersonByEmail(reader, invitation.email)
  if (person === null) return invitation
  // Each link can set a password once. Until the invitation is accepted, a renewed link may replace the password.
  const isCreatedByLink =
    person.userId === invitation.user_id && person.createdAt >= invitation.expires_at - LINK_TTL_MS
  return !isCreatedByLink && (await isAbandoned(reader, person)) ? invitation : null
}

async function grantInvitedRole(
  transaction: Transaction,
  { invitation, person, now }: { readonly invitation: InvitationRow; readonly person: Person; readonly now: number },
): Promise<void> {
  const { workspace_id: workspaceId } = invitation
  if (workspaceId !== null) {
    const membership = { role: invitation.role as 'viewer', joinedAt: now }
    return await insertMember(transaction, { workspaceId, userId: person.userId }, membership)
  }
  if (person.role !== 'end_user') {
    throw new AppError(
      'in_use',
      'You already administer a tenant or provider, and can administer only one. Ask to be removed there first.',
    )
  }
  await promoteToAdministrator(transaction, person.userId, { scope: toAdministratorScope(invitation), now })
  // Deletes the password links that an administrator created for the end user.
  await transaction.deleteFrom('password_links').where('user_id', '=', person.userId).execute()
}

async function acceptInvitation(
  { throttle, database, access, clock }: InvitationServiceDependencies,
  actor: Actor,
  token: string,
): Promise<AcceptedInvitation> {
  const attempt = await throttle.startSessionAttempt(actor.credentialId)
  const acceptance = database.transaction(async (transaction) => {
    const invitation = await findInvitationByToken(transaction, access.hashToken(token), clock.now())
    if (invitation === null) return null
    const person = await findPerson(transaction, actor.userId)
    if (person?.email !== invitation.email) {
      throw new AppError('forbidden', 'This invitation is for another person. Log out, and log in as that person.')
    }
    await grantInvitedRole(transaction, { invitation, person, now: clock.now() })
    await deleteInvitation(transaction, invitation.invitation_id)
    return invitation
  })
  // Only unknown tokens count as guesses.
  const acceptedInvitation = await acceptance.catch((error: unknown) => {
    attempt.withdraw()
    throw error
  })
  if (acceptedInvitation === null) {
    throw new AppError(
      'link_invalid',
      'This invitation was accepted, revoked or has expired. Ask an administrator for a new link.',
    )
  }
  attempt.withdraw()
  access.invalidate()
  return {
    workspaceId: acceptedInvitation.workspace_id,
    tenantId: acceptedInvitation.account_sid,
    providerId: acceptedInvitation.provider_id,
  }
}

async function isAbandoned(reader: Reader, { role, userId }: Person): Promise<boolean> {
  if (role !== 'end_user') return false
  const member = await reader.selectFrom('members').select('user_id').where('user_id', '=', userId).executeTakeFirst()
  return member === undefined
}

function toAdministratorScope({ account_sid: accountSid, provider_id: providerId }: InvitationRow): AdministratorScope {
  if (accountSid !== null) return { role: 'tenant_admin', accountSid }
  return { role: 'provider_admin', providerId: providerId ?? '' }
}
