import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import type { TranscriptLine } from './transcript-line.ts'
import { TranscriptRow } from './transcript-row.tsx'

/** Up to so many lines all are drawn: the search of the browser finds everything. */
const MOST_DRAWN = 300
const ROW_HEIGHT_PX = 62
const OVERSCAN_ROWS = 15
/** So near to the end counts as being there. */
const NEAR_END_PX = 80

export interface TranscriptViewProps {
  /** Says what is read, for those who do not see it. */
  readonly label: string
  readonly lines: readonly TranscriptLine[]
  /** The line that is heard right now. */
  readonly activeId?: string | null
  /** Moves the player to a time; absent without one. */
  readonly onSeek?: ((atMs: number) => void) | undefined
  /** In the place of the lines when there is none. */
  readonly empty: ReactNode
}

/** A conversation of any length, oldest line first. While it grows and its end is looked at, it stays at the end. */
export function TranscriptView({ label, lines, activeId = null, onSeek, empty }: TranscriptViewProps) {
  const scroller = useRef<HTMLElement>(null)
  const isAtEnd = useRef(false)
  const isLong = lines.length > MOST_DRAWN
  const virtualizer = useVirtualizer({
    count: lines.length,
    enabled: isLong,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN_ROWS,
    getItemKey: (index) => lines[index]?.id ?? index,
  })
  const count = lines.length
  useEffect(() => {
    const { current } = scroller
    if (current !== null && isAtEnd.current && count > 0) current.scrollTop = current.scrollHeight
  }, [count])

  if (count === 0) return empty
  const items = isLong ? virtualizer.getVirtualItems() : []
  const before = items[0]?.start ?? 0
  const after = isLong ? virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) : 0
  const drawn = isLong ? items.map(({ index }) => index) : lines.map((_line, index) => index)
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
      tabIndex={0}
      aria-label={label}
      className="-mx-2 max-h-[70dvh] min-h-0 overflow-y-auto"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
      }}
    >
      <ol style={{ paddingTop: before, paddingBottom: after }}>
        {drawn.map((index) => {
          const line = lines[index]
          if (line === undefined) return null
          return (
            <TranscriptRow
              key={line.id}
              line={line}
              index={index}
              count={count}
              isActive={line.id === activeId}
              onSeek={onSeek}
              measure={isLong ? virtualizer.measureElement : undefined}
            />
          )
        })}
      </ol>
    </section>
  )
}
