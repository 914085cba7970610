import type { Column } from '../../components/data-list.tsx'
import { useText } from '../../lib/language.ts'
import { LiveNotice, VersionState } from '../versions/version-state.tsx'
import { listLiveVersions, UserLinks, useEngineUsers } from './engine-users.tsx'

interface EngineStateProps {
  readonly id: string
  readonly latest: { readonly version: number; readonly is_published: boolean }
}

/** Displays the live version of a prompt or flow, based on the latest version of each agent. */
export function EngineState({ id, latest }: EngineStateProps) {
  const liveVersions = listLiveVersions(useEngineUsers()?.get(id) ?? [], latest.version)
  return <VersionState latest={latest} live={liveVersions.size === 0 ? null : Math.max(...liveVersions)} />
}

/** Maximum number of agents to list. */
const MAX_LISTED_AGENTS = { sentence: 5, cell: 2 } as const

/** Displays the agents that use a prompt or flow, and warns if edits reach callers immediately. */
export function UsedBy({ id }: { readonly id: string }) {
  const t = useText()
  const usersByEngine = useEngineUsers()
  // Reserves space while the agents load.
  if (usersByEngine === null) return '\u00a0'
  const users = usersByEngine.get(id) ?? []
  const liveOnSaveUsers = users.filter((user) => user.isLiveOnSave)
  if (liveOnSaveUsers.length > 0) {
    return (
      <LiveNotice>
        {t('New conversations use your changes as soon as you save. Live in:')}{' '}
        <UserLinks users={liveOnSaveUsers} max={MAX_LISTED_AGENTS.sentence} />
      </LiveNotice>
    )
  }
  if (users.length === 0) return t('Not used by any agent.')
  return (
    <>
      {t('Used by:')} <UserLinks users={users} max={MAX_LISTED_AGENTS.sentence} />
    </>
  )
}

/** Returns a column with the agents that use a prompt or flow, or no column while the agents load. */
export function useUsersColumn<Row>(getId: (row: Row) => string): readonly Column<Row>[] {
  const t = useText()
  const users = useEngineUsers()
  if (users === null) return []
  return [
    {
      key: 'users',
      title: t('Used by'),
      visibleFrom: 'md',
      width: 'w-72',
      cell: (row) => {
        const rowUsers = users.get(getId(row)) ?? []
        return rowUsers.length === 0 ? (
          <span className="text-muted">–</span>
        ) : (
          <span className="line-clamp-2">
            <UserLinks users={rowUsers} max={MAX_LISTED_AGENTS.cell} />
          </span>
        )
      },
    },
  ]
}
