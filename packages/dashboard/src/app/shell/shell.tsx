import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { BrandFooter, BrandMark } from '../../components/brand.tsx'
import { IconButton } from '../../components/button.tsx'
import { notifyError } from '../../components/toasts.tsx'
import { request } from '../../lib/api/request.ts'
import { brandStore } from '../../lib/brand/brand.ts'
import { type Hotkeys, useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaces } from '../../lib/session/session.ts'
import { writeSetting } from '../../lib/settings.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NAVIGATION } from './navigation.ts'
import { Preloader } from './preloader.tsx'
import { ConcurrencyMeter, MenuList, UserMenu, WorkspaceSwitcher } from './sidebar.tsx'

const KeyboardShortcuts = lazy(async () => ({ default: (await import('./keyboard-shortcuts.tsx')).KeyboardShortcuts }))

/** Renders the layout of every workspace page. */
export function Shell() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const [openLayer, setOpenLayer] = useState<'menu' | 'palette' | 'shortcuts' | null>(null)
  const handleOpenChange = (isOpen: boolean): void => setOpenLayer(isOpen ? openLayer : null)
  useTenantBrand(workspaceId)
  useEffect(() => writeSetting('workspace', String(workspaceId)), [workspaceId])
  const { Palette, loadPalette } = usePalette()
  const openPalette = (): void => {
    setOpenLayer('palette')
    loadPalette().catch(() => notifyError(t('Search failed to load. Check your connection and reload the page.')))
  }
  useHotkeys({ ...usePageHotkeys(), 'mod+k': openPalette, '?': () => setOpenLayer('shortcuts') })

  const footer = (
    <div className="flex flex-col border-t border-line pt-2">
      <ConcurrencyMeter />
      <UserMenu onShowShortcuts={() => setOpenLayer('shortcuts')} />
      <div className="px-2 empty:hidden">
        <BrandFooter />
      </div>
    </div>
  )
  const searchButton = <IconButton icon={Search} label={t('Search')} onClick={openPalette} />

  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed start-2 top-2 z-50 -translate-y-20 rounded-md bg-brand px-3 py-2 text-on-brand focus:translate-y-0"
      >
        {t('Skip to content')}
      </a>
      <MobileHeader searchButton={searchButton} onOpenMenu={() => setOpenLayer('menu')} />
      <SideMenu searchButton={searchButton} footer={footer} />
      <main id="main" tabIndex={-1} className="min-w-0 outline-none">
        <Outlet />
      </main>
      <MenuDrawer open={openLayer === 'menu'} onOpenChange={handleOpenChange} footer={footer} />
      <Preloader loadPalette={loadPalette} />
      <Suspense>
        {openLayer === 'palette' && Palette !== null && <Palette open onOpenChange={handleOpenChange} />}
        {openLayer === 'shortcuts' && <KeyboardShortcuts open onOpenChange={handleOpenChange} />}
      </Suspense>
    </div>
  )
}

function MobileHeader({
  searchButton,
  onOpenMenu,
}: {
  readonly searchButton: ReactNode
  readonly onOpenMenu: () => void
}) {
  const t = useText()
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center justify-between gap-2 border-b border-line bg-panel px-3 lg:hidden">
      <div className="flex min-w-0 items-center gap-1">
        <IconButton icon={MenuIcon} label={t('Menu')} onClick={onOpenMenu} />
        <BrandMark />
      </div>
      {searchButton}
    </header>
  )
}

function SideMenu({ searchButton, footer }: { readonly searchButton: ReactNode; readonly footer: ReactNode }) {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col gap-2.5 border-e border-line bg-panel p-3 lg:flex">
      <div className="flex items-center justify-between gap-2 ps-2">
        <BrandMark />
        {searchButton}
      </div>
      <WorkspaceSwitcher />
      <div className="-mx-1 min-h-0 flex-1 scroll-cue overflow-y-auto px-1">
        <MenuList />
      </div>
      {footer}
    </aside>
  )
}

interface MenuDrawerProps {
  readonly open: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly footer: ReactNode
}

function MenuDrawer({ open, onOpenChange, footer }: MenuDrawerProps) {
  const t = useText()
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-shade lg:hidden" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 start-0 z-50 flex w-72 max-w-[85vw] flex-col gap-4 overflow-y-auto bg-panel p-3 shadow-xl lg:hidden"
        >
          <Dialog.Title className="sr-only">{t('Menu')}</Dialog.Title>
          <WorkspaceSwitcher />
          <div className="flex-1">
            <MenuList onSelect={() => onOpenChange(false)} />
          </div>
          {footer}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

type PaletteComponent = typeof import('./palette.tsx').Palette

/** Loads the palette without Suspense, which delays lazy content by 300 ms. */
function usePalette(): { readonly Palette: PaletteComponent | null; readonly loadPalette: () => Promise<void> } {
  const [Palette, setPalette] = useState<PaletteComponent | null>(null)
  const loadPalette = useCallback(async () => {
    const module = await import('./palette.tsx')
    setPalette(() => module.Palette)
  }, [])
  return { Palette, loadPalette }
}

function usePageHotkeys(): Hotkeys {
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const entries = NAVIGATION.flatMap((group) => group.entries).filter(
    ({ key, operation }) => key !== undefined && can(operation),
  )
  return Object.fromEntries(
    entries.map(({ key, to }) => [
      `g ${key}`,
      () => void navigate({ to: to as '/$workspaceId', params: { workspaceId } }),
    ]),
  )
}

const BRAND_STALE_TIME_MS = 300_000

function useTenantBrand(workspaceId: number): void {
  const tenantId = useWorkspaces().find(({ id }) => id === workspaceId)?.accountSid
  const { data } = useQuery({
    queryKey: ['getBranding', tenantId],
    queryFn: async ({ signal }) =>
      (await request('getBranding', { query: tenantId === undefined ? {} : { tenantId } }, { signal })).value,
    enabled: tenantId !== undefined,
    staleTime: BRAND_STALE_TIME_MS,
  })
  useEffect(() => {
    if (data !== undefined) brandStore.set(data)
  }, [data])
}
