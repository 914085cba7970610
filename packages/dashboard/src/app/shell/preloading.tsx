import { useIsFetching } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { setTimer } from '../../lib/clock.ts'
import { useCan } from '../../lib/session/rights.ts'
import { preloadPages } from '../preload.ts'
import { NAVIGATION } from './navigation.ts'

/** The page counts as loaded after this long without a read. */
const QUIET_MS = 300

/** Preloads the palette and pages unless the browser saves data. A separate component, because it renders on every read. */
export function Preloading({ loadPalette }: { readonly loadPalette: () => Promise<void> }) {
  const can = useCan()
  const router = useRouter()
  const isQuiet = useIsFetching() === 0
  const entries = NAVIGATION.flatMap((group) => group.entries).filter(({ needs }) => can(needs))
  const paths = entries.map(({ to }) => to).join(' ')
  useEffect(() => {
    if (!isQuiet || isDataSaverOn()) return
    return setTimer(QUIET_MS, () => {
      // Opening the palette reports any failure.
      loadPalette().catch(() => undefined)
      void preloadPages(router, paths.split(' '))
    })
  }, [isQuiet, router, paths, loadPalette])
  return null
}

function isDataSaverOn(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } }
  return connection?.saveData === true
}
