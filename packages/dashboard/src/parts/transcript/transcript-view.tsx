import { useVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { ChevronRight, Wrench } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode, type Ref, type RefObject, useEffect, useRef } from 'react'
import { Badge } from '../../components/badge.tsx'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { formatLatency } from './conversation-cells.tsx'
import { TextBox } from './conversation-panels.tsx'
import { PassageNote } from './passage-note.tsx'
import { findLineAtTime, formatPrettyJson, type ToolUse, type TranscriptLine } from './transcript-line.ts'

/** Transcripts up to this length are fully rendered so that the browser can search all lines. */
const MAX_RENDERED_LINES = 300
const ROW_HEIGHT_PX = 62
const OVERSCAN_ROWS = 15
const NEAR_END_PX = 80

export interface TranscriptViewProps {
  readonly label: string
  readonly lines: readonly TranscriptLine[]
  /** The line that is playing. */
  readonly activeId?: string | null
  /** Seeks in the recording. Absent if there is no player. */
  readonly onSeek?: ((atMs: number) => void) | undefined
  /** Scrolls to the line at this time. Pass a new object to scroll again. */
  readonly scrollTarget?: { readonly atMs: number } | null
  readonly emptyState: ReactNode
}

/** Renders a transcript of any length, oldest line first. Follows new lines while the end is in view. */
export function TranscriptView({
  label,
  lines,
  activeId = null,
  onSeek,
  scrollTarget = null,
  emptyState,
}: TranscriptViewProps) {
  const scroller = useRef<HTMLElement>(null)
  const isAtEnd = useRef(false)
  const isLong = lines.length > MAX_RENDERED_LINES
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
  useScrollToTarget(scrollTarget, lines, { scroller, scrollToIndex: isLong ? virtualizer.scrollToIndex : null })

  if (count === 0) return emptyState
  const items = isLong ? virtualizer.getVirtualItems() : []
  const topPadding = items[0]?.start ?? 0
  const bottomPadding = isLong ? virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) : 0
  const renderedIndexes = isLong ? items.map(({ index }) => index) : lines.map((_line, index) => index)
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      className="-mx-2 max-h-[70dvh] min-h-0 overflow-y-auto"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
      }}
    >
      <ol style={{ paddingTop: topPadding, paddingBottom: bottomPadding }}>
        {renderedIndexes.map((index) => {
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

interface ScrollContainer {
  readonly scroller: RefObject<HTMLElement | null>
  /** Null while all lines are rendered. */
  readonly scrollToIndex: ((index: number, options: { align: 'center' }) => void) | null
}

function useScrollToTarget(
  scrollTarget: TranscriptViewProps['scrollTarget'],
  lines: readonly TranscriptLine[],
  { scroller, scrollToIndex }: ScrollContainer,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new target scrolls, not new lines.
  useEffect(() => {
    const line = scrollTarget ? findLineAtTime(lines, scrollTarget.atMs) : null
    if (line === null) return
    const index = lines.indexOf(line)
    scroller.current?.scrollIntoView({ block: 'nearest' })
    if (scrollToIndex !== null) scrollToIndex(index, { align: 'center' })
    else scroller.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'center' })
  }, [scrollTarget])
}

const NAME_CLASSES: Readonly<Record<TranscriptLine['role'], string>> = {
  agent: 'font-medium text-brand-text',
  user: 'font-medium',
  tool: 'text-muted',
  event: 'text-muted',
}

interface TranscriptRowProps extends Pick<TranscriptViewProps, 'onSeek'> {
  readonly line: TranscriptLine
  readonly index: number
  readonly count: number
  readonly isActive: boolean
  readonly measure: Ref<HTMLLIElement> | undefined
}

const TranscriptRow = memo(function TranscriptRow(props: TranscriptRowProps) {
  const { line, index, count, isActive, onSeek, measure } = props
  const { atMs } = line
  const seek = onSeek !== undefined && atMs !== null ? () => onSeek(atMs) : undefined
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button with the time does the same by keyboard.
    <li
      ref={measure}
      data-index={index}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-current={isActive || undefined}
      className={clsx(
        'grid grid-cols-[3rem_minmax(0,1fr)] gap-x-2 border-s-2 px-2 py-2',
        isActive ? 'border-brand-text bg-sunken' : 'border-transparent',
        seek && 'cursor-pointer hover:bg-sunken',
      )}
      onClick={seek && ((event) => isSeekClick(event) && seek())}
    >
      <LineTime atMs={atMs} onSeek={seek} />
      <div className="flex min-w-0 flex-col gap-1">
        <LineName line={line} />
        {line.text !== '' && (
          <p dir="auto" className={clsx('wrap-anywhere whitespace-pre-wrap', line.role === 'event' && 'text-muted')}>
            {line.text}
          </p>
        )}
        {line.tool && <ToolNote tool={line.tool} />}
        {line.passages && <PassageNote passages={line.passages} />}
      </div>
    </li>
  )
})

function LineName({ line }: { readonly line: TranscriptLine }) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs">
      <span dir="auto" className={clsx('min-w-0 truncate', NAME_CLASSES[line.role])}>
        {line.name}
      </span>
      {line.isInterrupted && <Badge tone="warn">{t('Interrupted')}</Badge>}
      {line.isIncomplete && <Badge tone="warn">{t('Incomplete')}</Badge>}
    </div>
  )
}

function LineTime({ atMs, onSeek }: { readonly atMs: number | null; readonly onSeek: (() => void) | undefined }) {
  const t = useText()
  const format = useFormatter()
  if (atMs === null) return <span />
  const time = format.timecode(atMs / 1_000)
  if (onSeek === undefined) return <span className="text-xs text-muted tabular-nums">{time}</span>
  return (
    <button
      type="button"
      aria-label={t('Play from {time}', { time })}
      onClick={onSeek}
      className="-mt-1 h-6 w-fit self-start rounded text-start text-xs text-muted tabular-nums underline-offset-2 hover:underline"
    >
      {time}
    </button>
  )
}

/** Whether a click should seek. Clicks on controls and clicks that select text do not. */
function isSeekClick({ target }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest('a, button, summary, details') !== null
  return !isControl && (getSelection()?.isCollapsed ?? true)
}

function ToolNote({ tool }: { readonly tool: ToolUse }) {
  const t = useText()
  const format = useFormatter()
  return (
    <details className="group min-w-0 rounded-md border border-line">
      <summary className="flex min-h-9 flex-wrap items-center gap-2 px-2.5 py-1.5">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span dir="auto" className="min-w-0 font-mono text-xs">
          {tool.name}
        </span>
        {tool.isSuccessful === false && <Badge tone="bad">{t('Failed')}</Badge>}
        {tool.result === null && <Badge>{t('No result yet')}</Badge>}
        {tool.durationMs !== null && (
          <span className="text-xs text-muted tabular-nums">{formatLatency(format, tool.durationMs)}</span>
        )}
      </summary>
      <div className="flex flex-col gap-2 border-t border-line p-2.5">
        <p className="text-xs text-muted">{t('Arguments')}</p>
        <TextBox label={t('Arguments')} text={formatPrettyJson(tool.arguments)} />
        {tool.result !== null && (
          <>
            <p className="text-xs text-muted">{t('Result')}</p>
            <TextBox label={t('Result')} text={formatPrettyJson(tool.result)} />
          </>
        )}
      </div>
    </details>
  )
}
