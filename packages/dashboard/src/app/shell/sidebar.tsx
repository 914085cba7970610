import { Link, useNavigate } from '@tanstack/react-router'
import { Building2, ChevronsUpDown, CircleUser, Keyboard, LogOut, UserCog } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useChooseLanguage } from '../../components/choose-language.ts'
import { Menu, MenuChoices, MenuEntry, MenuSeparator } from '../../components/menu.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { setTimer } from '../../lib/clock.ts'
import { LANGUAGES, type Language, useLanguage, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { chooseTheme, type Theme, themeStore } from '../../lib/settings.ts'
import { useStore } from '../../lib/store.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useSignOut } from '../sign-out.ts'
import { NAVIGATION } from './navigation.ts'

export function MenuList({ onSelect }: { readonly onSelect?: () => void }) {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const groups = NAVIGATION.map(({ label, entries }) => ({
    label,
    entries: entries.filter(({ operation }) => can(operation)),
  })).filter(({ entries }) => entries.length > 0)
  const list = useRef<HTMLElement>(null)
  // In a short window, the current entry can be scrolled out of view.
  useEffect(
    () => setTimer(0, () => list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })),
    [],
  )
  return (
    <nav ref={list} aria-label={t('Main menu')} className="flex flex-col gap-4 lg:gap-2">
      {groups.map(({ label, entries }) => (
        <div key={label}>
          <h2 className="px-2 pb-1 text-xs lg:pb-0.5 font-medium text-muted">{t(label)}</h2>
          <ul className="flex flex-col gap-0.5 lg:gap-0">
            {entries.map(({ to, label: entryLabel, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to as '/$workspaceId'}
                  params={{ workspaceId }}
                  activeOptions={{ exact: to === '/$workspaceId' }}
                  onClick={onSelect}
                  className="flex min-h-9 lg:min-h-7 scroll-my-12 items-center gap-2.5 rounded-md px-2 hover:bg-sunken aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-brand-text"
                >
                  <Icon aria-hidden="true" className="size-4 shrink-0" />
                  <span className="min-w-0 truncate">{t(entryLabel)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const MAX_OTHER_WORKSPACES = 30

export function WorkspaceSwitcher() {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaces = useWorkspaces()
  const workspaceId = useWorkspaceId()
  const currentWorkspace = workspaces.find(({ id }) => id === workspaceId)
  const otherWorkspaces = workspaces.filter(({ id }) => id !== workspaceId)
  // Users who can create workspaces may have thousands, so a separate page lists them all.
  const maxOtherWorkspaces = can('createWorkspace') ? MAX_OTHER_WORKSPACES : otherWorkspaces.length
  const visibleWorkspaces = [
    ...(currentWorkspace ? [currentWorkspace] : []),
    ...otherWorkspaces.slice(0, maxOtherWorkspaces),
  ]
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('Workspace: {name}', { name: currentWorkspace?.name ?? String(workspaceId) })}
          className="flex min-h-10 w-full items-center justify-between gap-2 rounded-md border border-line px-2.5 text-start hover:bg-sunken"
        >
          <span className="min-w-0 truncate font-medium" dir="auto">
            {currentWorkspace?.name ?? workspaceId}
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      <MenuChoices
        label={t('Workspaces')}
        value={String(workspaceId)}
        choices={visibleWorkspaces.map(({ id, name }) => ({ value: String(id), label: name }))}
        onSelect={(id) => void navigate({ to: '/$workspaceId', params: { workspaceId: Number(id) } })}
      />
      {visibleWorkspaces.length < workspaces.length && (
        <>
          <MenuSeparator />
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

export function UserMenu({ onShowShortcuts }: { readonly onShowShortcuts: () => void }) {
  const t = useText()
  const { user } = useSession()
  const signOut = useSignOut()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const language = useLanguage()
  const theme = useStore(themeStore)
  const name = user.name === '' ? user.email : user.name

  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('Account: {name}', { name })}
          className="flex min-h-10 w-full items-center gap-2.5 rounded-md px-2 text-start hover:bg-sunken"
        >
          <CircleUser aria-hidden="true" className="size-5 shrink-0 text-muted" />
          <span className="min-w-0 truncate" dir="auto">
            {name}
          </span>
        </button>
      }
    >
      <MenuEntry
        icon={UserCog}
        label={t('Profile')}
        onSelect={() => void navigate({ to: '/$workspaceId/profile', params: { workspaceId } })}
      />
      <MenuEntry icon={Keyboard} label={t('Keyboard shortcuts')} onSelect={onShowShortcuts} />
      <MenuSeparator />
      <MenuChoices<Theme>
        label={t('Theme')}
        value={theme}
        choices={[
          { value: 'system', label: t('System') },
          { value: 'light', label: t('Light') },
          { value: 'dark', label: t('Dark') },
        ]}
        onSelect={chooseTheme}
      />
      <MenuChoices<Language>
        label={t('Language')}
        value={language}
        choices={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
        onSelect={useChooseLanguage()}
      />
      <MenuSeparator />
      <MenuEntry icon={LogOut} label={t('Sign out')} onSelect={signOut} />
    </Menu>
  )
}

const POLL_INTERVAL_MS = 10_000

export function ConcurrencyMeter() {
  const t = useText()
  const { data } = useRead('getConcurrency', {}, { refetchMs: POLL_INTERVAL_MS, keepPreviousData: true })
  const liveCalls = data?.currentUsage ?? 0
  const maxCalls = data?.maxConcurrent ?? 0
  const usageRatio = maxCalls === 0 ? 0 : Math.min(1, liveCalls / maxCalls)
  return (
    <div className="flex min-h-10 flex-col justify-center gap-1.5 px-2">
      <div className="flex justify-between gap-2 text-xs text-muted">
        <span>{t('Live calls')}</span>
        <span className="tabular-nums">{data === undefined ? '–' : `${liveCalls} / ${maxCalls}`}</span>
      </div>
      <div aria-hidden="true" className="h-1 overflow-hidden rounded-full bg-sunken">
        <div className="h-full bg-brand-text transition-[width]" style={{ width: `${usageRatio * 100}%` }} />
      </div>
    </div>
  )
}
