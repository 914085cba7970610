import { clsx } from 'clsx'
import { ChevronRight, Wrench } from 'lucide-react'
import { type MouseEvent, memo, type Ref } from 'react'
import { Badge } from '../../components/badge.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { PassageNote } from './passage-note.tsx'
import { TextBox } from './text-box.tsx'
import { prettyJson, type ToolUse, type TranscriptLine } from './transcript-line.ts'

const NAME_CLASSES: Readonly<Record<TranscriptLine['role'], string>> = {
  agent: 'font-medium text-brand-text',
  user: 'font-medium',
  tool: 'text-muted',
  event: 'text-muted',
}

export interface TranscriptRowProps {
  readonly line: TranscriptLine
  /** Place in the list, from 0, and how many there are. */
  readonly index: number
  readonly count: number
  /** It is heard right now. */
  readonly isActive: boolean
  /** Moves the player to a time. */
  readonly onSeek: ((atMs: number) => void) | undefined
  readonly measure: Ref<HTMLLIElement> | undefined
}

/** One line of a transcript. A click on it moves the player there; for keys its time is a button. */
export const TranscriptRow = memo(function TranscriptRow({
  line,
  index,
  count,
  isActive,
  onSeek,
  measure,
}: TranscriptRowProps) {
  const { atMs } = line
  const seek = onSeek !== undefined && atMs !== null ? () => onSeek(atMs) : undefined
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button with the time does the same for keys.
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
      onClick={seek && ((event) => isPlainClick(event) && seek())}
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
      {line.isIncomplete && <Badge tone="warn">{t('Broke off')}</Badge>}
    </div>
  )
}

function LineTime({ atMs, onSeek }: { readonly atMs: number | null; readonly onSeek: (() => void) | undefined }) {
  const t = useText()
  const formats = useFormats()
  if (atMs === null) return <span />
  const clock = formats.clock(atMs / 1_000)
  if (onSeek === undefined) return <span className="text-xs text-muted tabular-nums">{clock}</span>
  return (
    <button
      type="button"
      aria-label={t('Play from {time}', { time: clock })}
      onClick={onSeek}
      className="-mt-1 h-6 w-fit self-start rounded text-start text-xs text-muted tabular-nums underline-offset-2 hover:underline"
    >
      {clock}
    </button>
  )
}

/** Words that are being marked, and controls inside, keep their click. */
function isPlainClick({ target }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest('a, button, summary, details') !== null
  return !isControl && (getSelection()?.isCollapsed ?? true)
}

/** A tool that was used, folded: what it was given and what it answered. */
function ToolNote({ tool }: { readonly tool: ToolUse }) {
  const t = useText()
  const formats = useFormats()
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
        {tool.result === null && <Badge>{t('No answer yet')}</Badge>}
        {tool.durationMs !== null && (
          <span className="text-xs text-muted tabular-nums">{formats.duration(tool.durationMs)}</span>
        )}
      </summary>
      <div className="flex flex-col gap-2 border-t border-line p-2.5">
        <p className="text-xs text-muted">{t('Arguments')}</p>
        <TextBox label={t('Arguments')} text={prettyJson(tool.arguments)} />
        {tool.result !== null && (
          <>
            <p className="text-xs text-muted">{t('Result')}</p>
            <TextBox label={t('Result')} text={prettyJson(tool.result)} />
          </>
        )}
      </div>
    </details>
  )
}
