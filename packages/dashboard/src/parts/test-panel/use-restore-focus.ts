import { type RefObject, useEffect, useRef } from 'react'

/** Moves the focus to an element if the focused element was removed. */
export function useRestoreFocus<Place extends HTMLElement>(): RefObject<Place | null> {
  const place = useRef<Place>(null)
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus()
  }, [])
  return place
}
