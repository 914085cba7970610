import type { MemberRole } from '@parley/contract/access'
import type { AddMemberBody, Member, MemberAdded, PasswordLink } from '@parley/contract/member'
import type { Clock } from '@parley/engine/ports'
import type { AccessCache } from '../../kernel/account-changes.ts'
import { type Actor, mayInWorkspace } from '../../kernel/actor.ts'
import type { Database } from '../../kernel/database.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'
import type { PasswordLinks } from './member-ports.ts'
import {
  deleteMember,
  findAccountOf,
  findMember,
  findMembers,
  findOtherWorkspaces,
  insertMember,
  type MemberKey,
  type Membership,
  updateMemberRole,
} from './member-store.ts'
import { PASSWORD_LINK_MS, type People } from './people.ts'
import { deleteForsakenPerson, findWorkspacesOf } from './people-store.ts'
import { describePerson, mayLearnName } from './person.ts'

export interface MemberServiceDependencies {
  readonly database: Database
  readonly clock: Pick<Clock, 'now'>
  readonly people: People
  readonly passwordLinks: PasswordLinks
  readonly access: AccessCache
}

export interface MemberService {
  /** Newest first. */
  list(actor: Actor, workspaceId: number, page: PageRequest): Promise<Page<Member>>
  add(actor: Actor, workspaceId: number, body: AddMemberBody): Promise<MemberAdded>
  update(actor: Actor, key: MemberKey, role: MemberRole): Promise<Member>
  remove(key: MemberKey): Promise<void>
  /** Throws `forbidden` for somebody who has more than what the actor administers. */
  createPasswordLink(actor: Actor, key: MemberKey): Promise<PasswordLink>
}

export function createMemberService(dependencies: MemberServiceDependencies): MemberService {
  const { database, clock, people, passwordLinks, access } = dependencies

  return {
    async list(actor, workspaceId, page) {
      const { items, next } = await findMembers(database.read, workspaceId, page)
      const others = await findOtherWorkspaces(database.read, workspaceId)
      const toItem = (one: Membership): Member => {
        const seen = mayLearnName(actor, one.person, others.get(one.person.userId) ?? [])
        return toMember(one, seen ? one.person.name : '')
      }
      return { items: items.map(toItem), next }
    },

    async add(actor, workspaceId, body) {
      const added = await database.transaction(async (transaction) => {
        const accountSid = await findAccountOf(transaction, workspaceId)
        if (accountSid === null) throw notFound('workspace', workspaceId)
        const { person, invitation } = await people.provide(transaction, { ...body, accountSid })
        const otherWorkspaces = await findWorkspacesOf(transaction, person.userId)
        const membership = { person, role: body.role, since: clock.now() }
        if (!(await insertMember(transaction, { workspaceId, userId: person.userId }, membership))) {
          throw new AppError('id_taken', 'Somebody with this e-mail address is a member of the workspace already.')
        }
        const known = mayLearnName(actor, person, otherWorkspaces) ? person.name : ''
        return { ...toMember(membership, body.name ?? known), ...invitation }
      })
      access.forget()
      return added
    },

    async update(actor, key, role) {
      const updated = await database.transaction(async (transaction) => {
        const found = await findMember(transaction, key)
        if (found === null) throw unknownMember(key)
        await updateMemberRole(transaction, key, role)
        const workspaces = await findWorkspacesOf(transaction, key.userId)
        const others = workspaces.filter((id) => id !== key.workspaceId)
        return toMember({ ...found, role }, mayLearnName(actor, found.person, others) ? found.person.name : '')
      })
      access.forget()
      return updated
    },

    async remove(key) {
      await database.transaction(async (transaction) => {
        if (!(await deleteMember(transaction, key))) throw unknownMember(key)
        await deleteForsakenPerson(transaction, key.userId)
      })
      access.forget()
    },

    async createPasswordLink(actor, key) {
      return await database.transaction(async (transaction) => {
        const found = await findMember(transaction, key)
        if (found === null) throw unknownMember(key)
        const workspaces = await findWorkspacesOf(transaction, key.userId)
        const isOwn = key.userId === actor.userId
        const isGoverned =
          found.person.role === 'end_user' && workspaces.every((id) => mayInWorkspace(actor, 'admin', id))
        // Else adding an address would be enough to have the account that others will trust again one day.
        const isOurs =
          actor.role === 'platform_admin' ||
          found.person.homeAccountSid === (await findAccountOf(transaction, key.workspaceId))
        if (isOwn || !isGoverned || !isOurs) {
          throw new AppError(
            'forbidden',
            'Whoever has this link has the account: it is only made for other people whom this account has asked in first, and who belong to nothing but workspaces that you administer.',
          )
        }
        const { url, expiresAt } = await passwordLinks.create(transaction, key.userId, PASSWORD_LINK_MS)
        return { url, expiresAt: new Date(expiresAt).toISOString() }
      })
    },
  }
}

function toMember({ person, role, since }: Membership, name: string): Member {
  return { ...describePerson(person, name), role, createdAt: new Date(since).toISOString() }
}

function unknownMember({ userId }: MemberKey): AppError {
  return notFound('member', userId)
}
