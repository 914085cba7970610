import { useIsFetching } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { after } from '../../lib/clock.ts'
import { useMay } from '../../lib/session/rights.ts'
import { preloadPages } from '../preload.ts'
import { NAVIGATION } from './navigation.ts'

/** Nothing is read for so long: the page has what it needs itself. */
const QUIET_MS = 300

/** Then loads what is likely to be opened next, unless the person saves data. Shows nothing; apart, since it looks at every read. */
export function Preloading({ loadPalette }: { readonly loadPalette: () => Promise<void> }) {
  const may = useMay()
  const router = useRouter()
  const isQuiet = useIsFetching() === 0
  const entries = NAVIGATION.flatMap((group) => group.entries).filter(({ needs }) => may(needs))
  const paths = entries.map(({ to }) => to).join(' ')
  useEffect(() => {
    if (!isQuiet || savesData()) return
    return after(QUIET_MS, () => {
      // What fails here is asked for again when it is opened.
      loadPalette().catch(() => undefined)
      void preloadPages(router, paths.split(' '))
    })
  }, [isQuiet, router, paths, loadPalette])
  return null
}

/** Only some browsers tell. */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } }
  return connection?.saveData === true
}
