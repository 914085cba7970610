import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type LucideIcon, RotateCw, SearchX, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Problem } from '../lib/api/problem.ts'
import { setTimer } from '../lib/clock.ts'
import { useText } from '../lib/language.ts'
import { Button, buildButtonClass } from './button.tsx'

const SKELETON_DELAY_MS = 150

/** Renders a placeholder that reserves its space immediately and appears after 150 ms, to avoid flicker and layout shifts. */
export function SkeletonBar({ className }: { readonly className: string }) {
  const [isVisible, setIsVisible] = useState(false)
  useEffect(() => setTimer(SKELETON_DELAY_MS, () => setIsVisible(true)), [])
  return (
    <div
      aria-hidden="true"
      className={clsx('rounded-md bg-sunken', isVisible ? 'animate-pulse' : 'invisible', className)}
    />
  )
}

export function Skeleton({ lines = 3, className }: { readonly lines?: number; readonly className?: string }) {
  const t = useText()
  return (
    <div role="status" className={clsx('flex flex-col gap-3', className)}>
      <span className="sr-only">{t('Loading…')}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no ID.
        <SkeletonBar key={line} className="h-9" />
      ))}
    </div>
  )
}

export interface EmptyStateProps {
  readonly icon?: LucideIcon
  readonly title: string
  /** Explains the empty state in one sentence. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line px-6 py-12 text-center">
      {Icon && <Icon aria-hidden="true" className="size-8 text-muted" />}
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="max-w-md text-balance text-muted">{children}</p>
      {action}
    </div>
  )
}

function useProblemText(problem: Error): string {
  const t = useText()
  if (!(problem instanceof Problem)) return t('Something went wrong on this page. Reload it and try again.')
  if (problem.code === 'offline') return t('The server is unreachable. Check your connection and try again.')
  if (problem.code === 'timeout') return t('The server did not respond in time. Try again.')
  if (problem.code === 'workspace_forbidden' || problem.code === 'forbidden') {
    return t('You don’t have permission for this. A workspace administrator can change your role.')
  }
  return problem.message
}

export function ProblemNote({ problem }: { readonly problem: Error }) {
  const t = useText()
  const text = useProblemText(problem)
  const apiProblem = problem instanceof Problem ? problem : null
  const allDetails = apiProblem?.details ?? []
  const [firstDetail] = allDetails
  // A single detail is usually included in the message.
  const details = allDetails.length === 1 && firstDetail && text.includes(firstDetail.message) ? [] : allDetails
  return (
    <div role="alert" className="flex gap-2.5 rounded-md bg-bad-soft px-3 py-2.5 text-bad">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0" dir="auto">
        <p>{text}</p>
        {details.length > 0 && (
          <ul className="mt-1 list-disc ps-4">
            {details.slice(0, 8).map(({ path, message }) => (
              <li key={`${path} ${message}`}>{path === '' ? message : `${path}: ${message}`}</li>
            ))}
          </ul>
        )}
        {apiProblem?.requestId && <p className="mt-1 text-xs">{t('Request {id}', { id: apiProblem.requestId })}</p>}
      </div>
    </div>
  )
}

export function ProblemPanel({
  problem,
  onRetry,
}: {
  readonly problem: Error
  readonly onRetry?: (() => void) | undefined
}) {
  const t = useText()
  if (problem instanceof Problem && problem.code === 'not_found') return <NotFound />
  return (
    <div className="flex flex-col items-start gap-3 rounded-lg border border-line bg-panel p-5">
      <ProblemNote problem={problem} />
      {onRetry && (
        <Button icon={RotateCw} onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

function NotFound() {
  const t = useText()
  return (
    <EmptyState
      icon={SearchX}
      title={t('Not found')}
      action={
        <Link to="/" className={buildButtonClass()}>
          {t('Back to home')}
        </Link>
      }
    >
      {t('It may have been deleted, or the URL is incorrect.')}
    </EmptyState>
  )
}

export interface QueryResult<Value> {
  readonly data: Value | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

/** Renders data, a placeholder, or a problem. Data remains visible if a later read fails. */
export function QueryView<Value>({
  query: { data, error, refetch },
  lines,
  skeleton,
  children,
}: {
  readonly query: QueryResult<Value>
  readonly lines?: number
  /** Replaces the default placeholder. */
  readonly skeleton?: ReactNode
  readonly children: (value: Value) => ReactNode
}) {
  if (data !== undefined) return children(data)
  if (error !== null) return <ProblemPanel problem={error} onRetry={() => void refetch()} />
  return skeleton ?? <Skeleton {...(lines !== undefined && { lines })} />
}

const FORBIDDEN = new Problem('Forbidden', { code: 'forbidden', status: 403 })

export function Forbidden() {
  return <ProblemPanel problem={FORBIDDEN} />
}
