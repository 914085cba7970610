import { type RefObject, useEffect, useRef } from 'react'

/** Takes the focus when what had it has just gone from the page, so that whoever uses keys goes on from here. */
export function useLostFocus<Place extends HTMLElement>(): RefObject<Place | null> {
  const place = useRef<Place>(null)
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus()
  }, [])
  return place
}
