import type { MemberRole } from '@parley/contract/access'
import type { AddMemberBody, Member, MemberAdded, PasswordLink } from '@parley/contract/member'
import { type Actor, hasWorkspaceLevel } from '../../kernel/access/actor.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Database, Reader } from '../../kernel/storage/database.ts'
import type { InvitationRow } from '../../tables/tenancy-tables.ts'
import { findInvitation, findInvitations, updateInvitation } from './invitation-store.ts'
import { type Invitations, LINK_TTL_MS } from './invitations.ts'
import type { AccessCache, CanManagePerson, PasswordLinks } from './member-ports.ts'
import {
  deleteMember,
  findMember,
  findMembers,
  findOtherWorkspaces,
  findWorkspaceTenant,
  hasMemberWithEmail,
  type MemberKey,
  type Membership,
  updateMemberRole,
} from './member-store.ts'
import { deleteAbandonedPerson, findMemberWorkspaces } from './people-store.ts'
import { buildInvitedFields, buildPersonFields, canSeeName, mergeNewest } from './person.ts'

interface MemberServiceDependencies {
  readonly database: Database
  readonly invitations: Invitations
  readonly passwordLinks: PasswordLinks
  readonly canManageUser: CanManagePerson
  readonly access: AccessCache
}

/** Manages the members of a workspace and the people invited to it. */
export interface MemberService {
  /** Lists members and invited people, newest first. */
  list(actor: Actor, workspaceId: number, page: PageRequest): Promise<Page<Member>>
  invite(workspaceId: number, body: AddMemberBody): Promise<MemberAdded>
  update(actor: Actor, key: MemberKey, role: MemberRole): Promise<Member>
  remove(key: MemberKey): Promise<void>
  /**
   * Creates a password link, or renews the link of an invitation. Throws `forbidden` if the actor does not administer the person.
   */
  createPasswordLink(actor: Actor, key: MemberKey): Promise<PasswordLink>
}

export function createMemberService(dependencies: MemberServiceDependencies): MemberService {
  const { database, invitations, access } = dependencies

  return {
    list: (actor, workspaceId, page) => listMembers(database.read, actor, { workspaceId, page }),

    invite: (workspaceId, body) =>
      database.transaction(async (transaction) => {
        if ((await findWorkspaceTenant(transaction, workspaceId)) === null) throw notFound('workspace', workspaceId)
        if (await hasMemberWithEmail(transaction, workspaceId, body.email.toLowerCase())) {
          throw new AppError('id_taken', 'A person with this email address is already a member of the workspace.')
        }
        const { invitation, link } = await invitations.invite(transaction, { workspaceId }, body)
        return { ...toInvitedMember(invitation), ...link }
      }),

    async update(actor, key, role) {
      const updatedMember = await database.transaction(async (transaction) => {
        const invitation = await findInvitation(transaction, key, key.userId)
        if (invitation !== null) {
          await updateInvitation(transaction, invitation.invitation_id, { role })
          return toInvitedMember({ ...invitation, role })
        }
        const member = await findMember(transaction, key)
        if (member === null) throw createMemberNotFoundError(key)
        await updateMemberRole(transaction, key, role)
        const workspaces = await findMemberWorkspaces(transaction, key.userId)
        const otherWorkspaceIds = workspaces.filter((id) => id !== key.workspaceId)
        return toMember(
          { ...member, role },
          canSeeName(actor, member.person, otherWorkspaceIds) ? member.person.name : '',
        )
      })
      access.invalidate()
      return updatedMember
    },

    async remove(key) {
      await database.transaction(async (transaction) => {
        if (await invitations.revoke(transaction, key, key.userId)) return
        if (!(await deleteMember(transaction, key))) throw createMemberNotFoundError(key)
        await deleteAbandonedPerson(transaction, key.userId)
      })
      access.invalidate()
    },

    createPasswordLink: (actor, key) => createMemberLink(dependencies, actor, key),
  }
}

async function listMembers(
  reader: Reader,
  actor: Actor,
  { workspaceId, page }: { readonly workspaceId: number; readonly page: PageRequest },
): Promise<Page<Member>> {
  const [members, invitedPeople, otherWorkspaces] = await Promise.all([
    findMembers(reader, workspaceId, page),
    findInvitations(reader, { workspaceId }, page),
    findOtherWorkspaces(reader, workspaceId),
  ])
  const toItem = (membership: Membership): Member => {
    const isNameVisible = canSeeName(actor, membership.person, otherWorkspaces.get(membership.person.userId) ?? [])
    return toMember(membership, isNameVisible ? membership.person.name : '')
  }
  return mergeNewest(
    [
      { ...members, items: members.items.map(toItem) },
      { ...invitedPeople, items: invitedPeople.items.map(toInvitedMember) },
    ],
    page.limit,
    ({ createdAt, userId }) => ({ sortValue: Date.parse(createdAt), id: userId }),
  )
}

function createMemberLink(
  {
    database,
    invitations,
    canManageUser,
    passwordLinks,
  }: Pick<MemberServiceDependencies, 'database' | 'invitations' | 'canManageUser' | 'passwordLinks'>,
  actor: Actor,
  key: MemberKey,
): Promise<PasswordLink> {
  return database.transaction(async (transaction) => {
    const invitation = await findInvitation(transaction, key, key.userId)
    if (invitation !== null) {
      const { inviteUrl, inviteExpiresAt } = await invitations.renew(transaction, invitation)
      return { url: inviteUrl, expiresAt: inviteExpiresAt }
    }
    const member = await findMember(transaction, key)
    if (member === null) throw createMemberNotFoundError(key)
    const isEndUser = member.person.role === 'end_user' && key.userId !== actor.userId
    if (!isEndUser || !(await canManageUser(transaction, actor, key.userId))) {
      throw new AppError(
        'forbidden',
        'You can create password links only for people who are not administrators and whose home tenant you administer.',
      )
    }
    const workspaces = await findMemberWorkspaces(transaction, key.userId)
    const workspaceIds = workspaces.filter((id) => hasWorkspaceLevel(actor, 'admin', id))
    const passwordLink = await passwordLinks.create(transaction, {
      userId: key.userId,
      ttlMs: LINK_TTL_MS,
      workspaceIds,
    })
    return { url: passwordLink.url, expiresAt: new Date(passwordLink.expiresAt).toISOString() }
  })
}

function toMember({ person, role, joinedAt }: Membership, name: string): Member {
  return { ...buildPersonFields(person, name), role, createdAt: new Date(joinedAt).toISOString() }
}

function toInvitedMember(invitation: InvitationRow): Member {
  return { ...buildInvitedFields(invitation), role: invitation.role as MemberRole }
}

function createMemberNotFoundError({ userId }: MemberKey): AppError {
  return notFound('member', userId)
}
