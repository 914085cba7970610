import type { RecordChoice } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useAdministrators } from '../../parts/people/administrators.ts'

const MAX_MEMBERS = 1_000

export interface People {
  readonly choices: readonly RecordChoice[]
  readonly isLoading: boolean
  /** Returns a name: the ID for unknown people, or `…` while names load. */
  nameOf(userId: string): string
}

/** Reads the people that the log can name: the current user, the members, and the account administrators. */
export function usePeople(): People {
  const t = useText()
  const can = useCan()
  const { user } = useSession()
  const workspaceId = useWorkspaceId()
  const query = { limit: MAX_MEMBERS }
  const members = useRead('listMembers', { path: { workspaceId }, query }, { enabled: can('listMembers') })
  const administrators = useAdministrators()
  const isLoading = members.isLoading || administrators.isLoading
  const people = [user, ...(members.data ?? []), ...administrators.people]
  const entries = people.map(
    ({ userId, name, email }) => [userId, { id: userId, label: name || email, hint: email }] as const,
  )
  const byId = new Map<string, RecordChoice>(entries)
  return {
    choices: [...byId.values()],
    isLoading,
    nameOf(userId) {
      if (userId === '') return t('Unknown person')
      return byId.get(userId)?.label ?? (isLoading ? '…' : userId)
    },
  }
}
