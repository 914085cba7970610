import { clsx } from 'clsx'
import { ArrowRight, CircleCheck, TriangleAlert } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'

/** One thing to look at. */
export interface FlowProblem {
  readonly kind: 'error' | 'warning'
  /** Path of the document, shown and gone to; null where there is none. */
  readonly path: string | null
  readonly text: string
}

export interface FlowProblemsProps {
  readonly problems: readonly FlowProblem[]
  /** Why the server could not be asked. */
  readonly failure: Error | null
  readonly onGo: (path: string) => void
}

/** More than this nobody mends at once. */
const MOST_SHOWN = 50

/** What is wrong with the flow, and what may not work as expected: each with the way there. */
export function FlowProblems({ problems, failure, onGo }: FlowProblemsProps) {
  const t = useText()
  const errors = problems.filter(({ kind }) => kind === 'error')
  const warnings = problems.filter(({ kind }) => kind === 'warning')
  const counts = t(
    '{errors, plural, =0 {Nothing keeps it from being saved} one {# problem keeps it from being saved} other {# problems keep it from being saved}}, {warnings, plural, =0 {no warnings} one {# warning} other {# warnings}}',
    { errors: errors.length, warnings: warnings.length },
  )
  return (
    <Panel title={t('Check')} description={<span role="status">{counts}</span>}>
      {failure !== null && <ProblemNote problem={failure} />}
      {failure === null && problems.length === 0 && (
        <p className="flex items-center gap-2 text-good">
          <CircleCheck aria-hidden="true" className="size-4 shrink-0" />
          {t('The flow can be saved as it is.')}
        </p>
      )}
      {problems.length > 0 && (
        <ul aria-label={t('Problems and warnings')} className="flex flex-col divide-y divide-line">
          {[...errors, ...warnings].slice(0, MOST_SHOWN).map((problem) => (
            <Entry key={`${problem.kind} ${problem.path} ${problem.text}`} problem={problem} onGo={onGo} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Entry({
  problem: { kind, path, text },
  onGo,
}: {
  readonly problem: FlowProblem
  readonly onGo: (path: string) => void
}) {
  const t = useText()
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2 first:pt-0 last:pb-0">
      <span
        className={clsx('flex w-28 shrink-0 items-center gap-1.5 py-1.5', kind === 'error' ? 'text-bad' : 'text-warn')}
      >
        <TriangleAlert aria-hidden="true" className="size-4 shrink-0" />
        {kind === 'error' ? t('Problem') : t('Warning')}
      </span>
      <span className="min-w-0 flex-1 basis-60 py-1.5" dir="auto">
        {path !== null && path !== '' && kind === 'error' && (
          <code className="me-2 text-xs break-all text-muted">{path}</code>
        )}
        <span className="break-words">{text}</span>
      </span>
      {path !== null && (
        <Button kind="quiet" icon={ArrowRight} onClick={() => onGo(path)}>
          {t('Go there')}
        </Button>
      )}
    </li>
  )
}
