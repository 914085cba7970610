import { type RefObject, useEffect, useRef } from 'react'

/** Moves the focus to an element if the focused element was removed. */
export function useRestoreFocus<Container extends HTMLElement>(): RefObject<Container | null> {
  const container = useRef<Container>(null)
  useEffect(() => {
    if (document.activeElement === document.body) container.current?.focus()
  }, [])
  return container
}
