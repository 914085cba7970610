import type { ActorRole } from '@parley/contract/access'
import type { Administrator, Member } from '@parley/contract/member'
import type { CurrentSession } from '@parley/contract/session'
import { ACTOR_LABELS, MEMBER_LABELS } from '../../parts/people/role-labels.ts'

/** A person with access to a workspace. */
export interface MemberRow extends Pick<Member, 'userId' | 'email' | 'status'> {
  /** The email address if the person has no name. */
  readonly name: string
  /** A catalog message. */
  readonly role: string
  /** Null if unknown. */
  readonly createdAt: string | null
  /** Null for administrators, because the workspace does not manage them. */
  readonly member: Member | null
}

interface TeamData {
  readonly session: CurrentSession
  readonly workspaceId: number
  readonly administrators: readonly Administrator[]
  readonly members: readonly Member[]
}

/** Lists the people with access to a workspace, administrators first. The API lists only members. */
export function listMemberRows({ session, workspaceId, administrators, members }: TeamData): readonly MemberRow[] {
  const { user, workspaces } = session
  const isAdministrator = workspaces.some(({ id, level }) => id === workspaceId && level === 'account')
  const rows = new Map<string, MemberRow>()
  const addRow = (person: Omit<MemberRow, 'name' | 'role'> & { readonly name: string }, role: string): void => {
    if (!rows.has(person.userId)) rows.set(person.userId, { ...person, name: person.name || person.email, role })
  }
  if (isAdministrator) addRow({ ...user, status: 'active', createdAt: null, member: null }, ACTOR_LABELS[user.role])
  const administratorRole: ActorRole = 'tenant_admin'
  for (const person of administrators) addRow({ ...person, member: null }, ACTOR_LABELS[administratorRole])
  for (const member of members) addRow({ ...member, member }, MEMBER_LABELS[member.role])
  return [...rows.values()]
}
