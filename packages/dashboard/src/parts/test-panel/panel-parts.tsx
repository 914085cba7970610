import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ChevronRight, SendHorizontal } from 'lucide-react'
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { CONTROL_CLASS } from '../../components/field.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useRestoreFocus } from './use-restore-focus.ts'

export function Bubble({
  side,
  speaker,
  isDraft = false,
  note,
  children,
}: {
  readonly side: 'person' | 'agent'
  /** The speaker's name for screen readers. */
  readonly speaker: string
  /** Whether the text is not final yet. */
  readonly isDraft?: boolean
  readonly note?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div
      className={clsx(
        'flex max-w-[85%] min-w-0 flex-col gap-1',
        side === 'person' ? 'items-end self-end' : 'self-start',
      )}
    >
      <span className="sr-only">{speaker}</span>
      <p
        dir="auto"
        className={clsx(
          'min-w-0 rounded-lg px-3 py-2 whitespace-pre-wrap',
          side === 'person' ? 'bg-brand text-on-brand' : 'bg-sunken text-ink',
          isDraft && 'italic',
        )}
      >
        {children}
      </p>
      {note && <div className="flex flex-wrap gap-x-3 px-1 text-xs text-muted">{note}</div>}
    </div>
  )
}

/** Renders a message input. Enter sends the message, and Shift+Enter starts a new line. */
export function MessageInput({
  label,
  placeholder = label,
  isWaiting = false,
  isEnded = false,
  onSend,
  children,
}: {
  readonly label: string
  readonly placeholder?: string
  readonly isWaiting?: boolean
  /** Whether the conversation has ended, which disables the input. */
  readonly isEnded?: boolean
  readonly onSend: (text: string) => void
  readonly children?: ReactNode
}) {
  const t = useText()
  const [text, setText] = useState('')
  const input = useRestoreFocus<HTMLTextAreaElement>()
  const canSend = !isWaiting && !isEnded && text.trim() !== ''
  const send = (): void => {
    if (!canSend) return
    onSend(text.trim())
    setText('')
  }
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={input}
        dir="auto"
        rows={1}
        aria-label={label}
        placeholder={placeholder}
        disabled={isEnded}
        className={`${CONTROL_CLASS} field-sizing-content max-h-40 resize-none`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // Enter also confirms a word in an input method.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      {children}
      <IconButton icon={SendHorizontal} kind="primary" type="submit" label={t('Send')} disabled={!canSend} />
    </form>
  )
}

/** Explains why a conversation cannot start or continue, with a link to the fix. */
export function StartProblem({ problem }: { readonly problem: Error }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const code = problem instanceof Problem ? problem.code : null
  return (
    <div className="flex w-full flex-col gap-2">
      <ProblemNote problem={problem} />
      {(code === 'model_not_configured' || code === 'provider_not_configured') && (
        <Link
          to="/$workspaceId/provider-keys"
          params={{ workspaceId }}
          className="inline-flex min-h-9 w-fit items-center text-brand-text underline"
        >
          {t('Add API key')}
        </Link>
      )}
      {code === 'concurrency_limit_reached' && (
        <Link
          to="/$workspaceId/usage"
          params={{ workspaceId }}
          className="inline-flex min-h-9 w-fit items-center text-brand-text underline"
        >
          {t('View ongoing conversations')}
        </Link>
      )}
    </div>
  )
}

export function Collapsible({
  title,
  onToggle,
  children,
}: {
  readonly title: string
  readonly onToggle?: (isOpen: boolean) => void
  readonly children: ReactNode
}) {
  return (
    <details className="group min-w-0" onToggle={(event) => onToggle?.(event.currentTarget.open)}>
      <summary className="flex min-h-9 list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90 rtl:-scale-x-100"
        />
        {title}
      </summary>
      <div className="flex flex-col gap-3 pt-2">{children}</div>
    </details>
  )
}

const NEAR_END_PX = 48

interface AutoScroll<Container extends HTMLElement> {
  readonly ref: RefObject<Container | null>
  readonly onScroll: () => void
}

/** Scrolls a log to its end after each update, unless the user has scrolled up. */
export function useAutoScroll<Container extends HTMLElement>(): AutoScroll<Container> {
  const ref = useRef<Container>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const container = ref.current
    if (container !== null && isAtEnd.current) container.scrollTop = container.scrollHeight
  })
  return {
    ref,
    onScroll() {
      const container = ref.current
      if (container !== null)
        isAtEnd.current = container.scrollHeight - container.scrollTop - container.clientHeight < NEAR_END_PX
    },
  }
}
