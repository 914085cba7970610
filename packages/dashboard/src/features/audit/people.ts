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
  /** Returns the name of a user, the ID if the user is unknown, or `…` while loading. */
  getName(userId: string): string
}

/** Loads the current user, the members, and the account administrators. */
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
  const choicesById = new Map<string, RecordChoice>(entries)
  return {
    choices: [...choicesById.values()],
    isLoading,
    getName(userId) {
      if (userId === '') return t('Unknown person')
      return choicesById.get(userId)?.label ?? (isLoading ? '…' : userId)
    },
  }
}
