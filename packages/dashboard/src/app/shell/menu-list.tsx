import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { after } from '../../lib/clock.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NAVIGATION } from './navigation.ts'

/** The entries of the menu that the person may open. */
export function MenuList({ onChoose }: { readonly onChoose?: () => void }) {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  const groups = NAVIGATION.map(({ label, entries }) => ({
    label,
    entries: entries.filter(({ needs }) => may(needs)),
  })).filter(({ entries }) => entries.length > 0)
  const list = useRef<HTMLElement>(null)
  // In a low window the entry of the page may stand below the end of the menu.
  useEffect(
    () => after(0, () => list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })),
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
                  onClick={onChoose}
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
