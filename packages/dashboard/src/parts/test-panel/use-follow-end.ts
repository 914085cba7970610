import { type RefObject, useLayoutEffect, useRef } from 'react'

/** So near to the end it counts as being there. */
const NEAR_PX = 48

export interface FollowEnd<Place extends HTMLElement> {
  readonly ref: RefObject<Place | null>
  readonly onScroll: () => void
}

/** Keeps the end of what scrolls in sight as more comes, unless the person has scrolled up to read. */
export function useFollowEnd<Place extends HTMLElement>(): FollowEnd<Place> {
  const ref = useRef<Place>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const place = ref.current
    if (place !== null && isAtEnd.current) place.scrollTop = place.scrollHeight
  })
  return {
    ref,
    onScroll() {
      const place = ref.current
      if (place !== null) isAtEnd.current = place.scrollHeight - place.scrollTop - place.clientHeight < NEAR_PX
    },
  }
}
