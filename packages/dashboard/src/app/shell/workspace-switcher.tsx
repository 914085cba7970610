import { useNavigate } from '@tanstack/react-router'
import { Building2, ChevronsUpDown } from 'lucide-react'
import { Menu, MenuChoices, MenuEntry, MenuLine } from '../../components/menu.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

const MOST_OTHERS = 30

/** Shows the workspace, and goes to another. */
export function WorkspaceSwitcher() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaces = useWorkspaces()
  const workspaceId = useWorkspaceId()
  const current = workspaces.find(({ id }) => id === workspaceId)
  const others = workspaces.filter(({ id }) => id !== workspaceId)
  // Those who make workspaces may have thousands, and a page for them.
  const most = may('createWorkspace') ? MOST_OTHERS : others.length
  const shown = [...(current ? [current] : []), ...others.slice(0, most)]
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('Workspace: {name}', { name: current?.name ?? String(workspaceId) })}
          className="flex min-h-10 w-full items-center justify-between gap-2 rounded-md border border-line px-2.5 text-start hover:bg-sunken"
        >
          <span className="min-w-0 truncate font-medium" dir="auto">
            {current?.name ?? workspaceId}
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      <MenuChoices
        label={t('Workspaces')}
        value={String(workspaceId)}
        choices={shown.map(({ id, name }) => ({ value: String(id), label: name }))}
        onChoose={(id) => void navigate({ to: '/$workspaceId', params: { workspaceId: Number(id) } })}
      />
      {shown.length < workspaces.length && (
        <>
          <MenuLine />
          <MenuEntry
            icon={Building2}
            label={t('All {count} workspaces', { count: workspaces.length })}
            onSelect={() => void navigate({ to: '/$workspaceId/workspaces', params: { workspaceId } })}
          />
        </>
      )}
    </Menu>
  )
}
