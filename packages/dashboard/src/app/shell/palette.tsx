import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Bot, type LucideIcon } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useDeferredValue } from 'react'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NAVIGATION } from './navigation.ts'

const MOST_AGENTS = 200

interface PaletteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** Finds pages and agents by their names. */
export function Palette({ open, onOpenChange }: PaletteProps) {
  const t = useText()
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-0 top-[12dvh] z-50 mx-auto w-[calc(100%-2rem)] max-w-xl rounded-xl border border-line bg-panel shadow-xl"
        >
          <Dialog.Title className="sr-only">{t('Find a page or an agent')}</Dialog.Title>
          <Command label={t('Find a page or an agent')} loop>
            <Command.Input
              placeholder={t('Type to find …')}
              className="w-full rounded-t-xl border-b border-line bg-panel px-4 py-3 text-base"
            />
            <FoundEntries onChoose={() => onOpenChange(false)} />
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const GROUP_CLASS = 'text-xs text-muted [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1'

function FoundEntries({ onChoose }: { readonly onChoose: () => void }) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { data } = useRead('listAgents', { query: { limit: MOST_AGENTS } })
  // The pages stand there at once; long lists of agents follow.
  const agents = useDeferredValue(data ?? [], [])
  const entries = NAVIGATION.flatMap((group) => group.entries).filter(({ needs }) => may(needs))
  return (
    <Command.List className="max-h-[50dvh] overflow-y-auto p-1.5">
      <Command.Empty className="px-3 py-6 text-center text-muted">{t('Nothing found.')}</Command.Empty>
      <Command.Group heading={t('Pages')} className={GROUP_CLASS}>
        {entries.map(({ to, label, icon }) => (
          <Entry
            key={to}
            id={to}
            icon={icon}
            label={t(label)}
            onSelect={() => {
              onChoose()
              void navigate({ to: to as '/$workspaceId', params: { workspaceId } })
            }}
          />
        ))}
      </Command.Group>
      {agents.length > 0 && (
        <Command.Group heading={t('Agents')} className={GROUP_CLASS}>
          {agents.map(({ agent_id: agentId, agent_name: name }) => (
            <Entry
              key={agentId}
              id={agentId}
              icon={Bot}
              label={name === '' ? agentId : name}
              onSelect={() => {
                onChoose()
                void navigate({ to: '/$workspaceId/agents/$agentId', params: { workspaceId, agentId } })
              }}
            />
          ))}
        </Command.Group>
      )}
    </Command.List>
  )
}

function Entry({
  id,
  icon: Icon,
  label,
  onSelect,
}: {
  readonly id: string
  readonly icon: LucideIcon
  readonly label: string
  readonly onSelect: () => void
}) {
  return (
    <Command.Item
      value={`${label} ${id}`}
      onSelect={onSelect}
      className="flex min-h-10 cursor-pointer items-center gap-2.5 rounded px-2 text-sm text-ink data-[selected=true]:bg-sunken"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 truncate" dir="auto">
        {label}
      </span>
    </Command.Item>
  )
}
