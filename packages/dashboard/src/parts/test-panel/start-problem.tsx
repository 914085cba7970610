import { Link } from '@tanstack/react-router'
import { ProblemNote } from '../../components/states.tsx'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** What keeps a conversation from going on, with the way to where it can be mended. */
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
          {t('Store a key for the provider')}
        </Link>
      )}
      {code === 'concurrency_limit_reached' && (
        <Link
          to="/$workspaceId/usage"
          params={{ workspaceId }}
          className="inline-flex min-h-9 w-fit items-center text-brand-text underline"
        >
          {t('See which conversations are going on')}
        </Link>
      )}
    </div>
  )
}
