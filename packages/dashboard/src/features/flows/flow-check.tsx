import type { ErrorDetail } from '@parley/contract/errors'
import { clsx } from 'clsx'
import { ArrowRight, CircleCheck, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { addWorkspace } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { request } from '../../lib/api/request.ts'
import { setTimer } from '../../lib/clock.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type FlowDocument, toFlowBody } from './flow-document.ts'

/** The result of validating an unsaved flow. */
export interface FlowValidation {
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly string[]
  /** Why the flow could not be validated. */
  readonly failure: Problem | null
}

const DEBOUNCE_MS = 500

/** Validates the edited document on the server. Returns null until the first result. */
export function useFlowValidation(flowId: string, document: FlowDocument | null): FlowValidation | null {
  const [validation, setValidation] = useState<FlowValidation | null>(null)
  const workspaceId = useWorkspaceId()
  const isAllowed = useCan()('validateConversationFlow')
  useEffect(() => {
    if (document === null || !isAllowed) return
    const controller = new AbortController()
    const validate = async (): Promise<void> => {
      const result = await validateOnServer({ flowId, document, workspaceId }, controller.signal)
      if (!controller.signal.aborted && result !== null) setValidation(result)
    }
    const cancelValidation = setTimer(DEBOUNCE_MS, () => void validate())
    return () => {
      cancelValidation()
      controller.abort()
    }
  }, [flowId, document, workspaceId, isAllowed])
  return validation
}

interface ValidationRequest {
  readonly flowId: string
  readonly document: FlowDocument
  readonly workspaceId: number
}

async function validateOnServer(
  { flowId, document, workspaceId }: ValidationRequest,
  signal: AbortSignal,
): Promise<FlowValidation | null> {
  const body = { ...toFlowBody(document), secrets_from: flowId }
  const params = addWorkspace('validateConversationFlow', { body }, workspaceId)
  try {
    const { value } = await request('validateConversationFlow', params, { signal })
    return { errors: value.errors, warnings: value.warnings, failure: null }
  } catch (error) {
    if (!(error instanceof Problem)) return null
    if (error.code === 'invalid_request') {
      const errors = error.details.length > 0 ? error.details : [{ path: '', message: error.message }]
      return { errors, warnings: [], failure: null }
    }
    return { errors: [], warnings: [], failure: error }
  }
}

export interface FlowProblem {
  readonly kind: 'error' | 'warning'
  /** Path in the document, or null if there is none. */
  readonly path: string | null
  readonly text: string
}

export interface FlowProblemsProps {
  readonly problems: readonly FlowProblem[]
  readonly failure: Error | null
  readonly onShow: (path: string) => void
}

const MAX_PROBLEMS = 50

/** Lists errors and warnings with links to their positions. */
export function FlowProblems({ problems, failure, onShow }: FlowProblemsProps) {
  const t = useText()
  const errors = problems.filter(({ kind }) => kind === 'error')
  const warnings = problems.filter(({ kind }) => kind === 'warning')
  const summary = t(
    '{errors, plural, =0 {No errors} one {# error} other {# errors}}, {warnings, plural, =0 {no warnings} one {# warning} other {# warnings}}',
    { errors: errors.length, warnings: warnings.length },
  )
  return (
    <Panel title={t('Validation')} description={<span role="status">{summary}</span>}>
      {failure !== null && <ProblemNote problem={failure} />}
      {failure === null && problems.length === 0 && (
        <p className="flex items-center gap-2 text-good">
          <CircleCheck aria-hidden="true" className="size-4 shrink-0" />
          {t('The flow is valid.')}
        </p>
      )}
      {problems.length > 0 && (
        <ul aria-label={t('Errors and warnings')} className="flex flex-col divide-y divide-line">
          {[...errors, ...warnings].slice(0, MAX_PROBLEMS).map((problem) => (
            <ProblemRow key={`${problem.kind} ${problem.path} ${problem.text}`} problem={problem} onShow={onShow} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function ProblemRow({
  problem: { kind, path, text },
  onShow,
}: {
  readonly problem: FlowProblem
  readonly onShow: (path: string) => void
}) {
  const t = useText()
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2 first:pt-0 last:pb-0">
      <span
        className={clsx('flex w-28 shrink-0 items-center gap-1.5 py-1.5', kind === 'error' ? 'text-bad' : 'text-warn')}
      >
        <TriangleAlert aria-hidden="true" className="size-4 shrink-0" />
        {kind === 'error' ? t('Error') : t('Warning')}
      </span>
      <span className="min-w-0 flex-1 basis-60 py-1.5" dir="auto">
        {path !== null && path !== '' && kind === 'error' && (
          <code className="me-2 text-xs break-all text-muted">{path}</code>
        )}
        <span className="break-words">{text}</span>
      </span>
      {path !== null && (
        <Button kind="quiet" icon={ArrowRight} onClick={() => onShow(path)}>
          {t('Show in JSON')}
        </Button>
      )}
    </li>
  )
}
