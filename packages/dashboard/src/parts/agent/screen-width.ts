import { useSyncExternalStore } from 'react'

/** From this width on the test panel stands beside the settings. */
const WIDE = '(min-width: 1280px)'

function onChange(listener: () => void): () => void {
  const query = matchMedia(WIDE)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether there is room for a second column. */
export function useIsWide(): boolean {
  return useSyncExternalStore(onChange, () => matchMedia(WIDE).matches)
}
