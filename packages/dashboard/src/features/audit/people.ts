import type { RecordChoice } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** So many people are known by name. */
const MOST_PEOPLE = 1_000

export interface People {
  readonly choices: readonly RecordChoice[]
  readonly isLoading: boolean
  /** What a person is called; `…` while names are read, the id of one who is not known here. */
  nameOf(userId: string): string
}

/** The people whom the log may name: the person, the members, the administrators of the account. */
export function usePeople(): People {
  const t = useText()
  const may = useMay()
  const { user } = useSession()
  const workspaceId = useWorkspaceId()
  const tenantId = useWorkspaces().find(({ id }) => id === workspaceId)?.accountSid ?? ''
  const query = { limit: MOST_PEOPLE }
  const members = useRead('listMembers', { path: { workspaceId }, query }, { enabled: may('listMembers') })
  const administrators = useRead(
    'listTenantAdmins',
    { path: { tenantId }, query },
    { enabled: tenantId !== '' && may('listTenantAdmins') },
  )
  const isLoading = members.isLoading || administrators.isLoading
  const people = [user, ...(members.data ?? []), ...(administrators.data ?? [])]
  const choices = [
    ...new Map(
      people.map(({ userId, name, email }) => [userId, { id: userId, label: name === '' ? email : name, hint: email }]),
    ).values(),
  ]
  return {
    choices,
    isLoading,
    nameOf(userId) {
      if (userId === '') return t('Nobody known')
      return choices.find(({ id }) => id === userId)?.label ?? (isLoading ? '…' : userId)
    },
  }
}
