import { useParams } from '@tanstack/react-router'
import { BackLink } from '../../components/back-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemPanel, Skeleton } from '../../components/states.tsx'
import { useAnswer } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NumberEditor } from './number-editor.tsx'

/** One number with everything that can be set of it. */
export function NumberScreen() {
  const { number = '' } = useParams({ strict: false }) as { readonly number?: string }
  const answer = useAnswer('getNumber', { path: { number } })
  const back = <BackToNumbers />
  const isGone = answer.error?.code === 'not_found'
  if (answer.data !== undefined && !isGone) return <NumberEditor key={number} answer={answer.data} above={back} />
  return (
    <Page title={number} above={back}>
      {answer.error === null ? (
        <Skeleton lines={8} />
      ) : (
        <ProblemPanel problem={answer.error} onRetry={() => void answer.refetch()} />
      )}
    </Page>
  )
}

function BackToNumbers() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/numbers" params={{ workspaceId: useWorkspaceId() }}>
      {t('Phone numbers')}
    </BackLink>
  )
}
