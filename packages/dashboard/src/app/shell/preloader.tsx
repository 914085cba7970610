import { useIsFetching } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { setTimer } from '../../lib/clock.ts'
import { useCan } from '../../lib/session/rights.ts'
import { preloadPages } from '../preload.ts'
import { NAVIGATION } from './navigation.ts'

/** The page counts as loaded after this time without a request. */
const IDLE_MS = 300

/** Preloads the palette and pages unless data saver is on. This is a separate component because it rerenders on every request. */
export function Preloader({ loadPalette }: { readonly loadPalette: () => Promise<void> }) {
  const can = useCan()
  const router = useRouter()
  const isIdle = useIsFetching() === 0
  const entries = NAVIGATION.flatMap((group) => group.entries).filter(({ operation }) => can(operation))
  const paths = entries.map(({ to }) => to).join(' ')
  useEffect(() => {
    if (!isIdle || isDataSaverOn()) return
    return setTimer(IDLE_MS, () => {
      // Failures are reported when the user opens the palette.
      loadPalette().catch(() => undefined)
      void preloadPages(router, paths.split(' '))
    })
  }, [isIdle, router, paths, loadPalette])
  return null
}

function isDataSaverOn(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } }
  return connection?.saveData === true
}
