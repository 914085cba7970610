import { BackLink } from '../../components/back-link.tsx'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** The way back to the list. */
export function BackToLlms() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/llms" params={{ workspaceId: useWorkspaceId() }}>
      {t('LLM configurations')}
    </BackLink>
  )
}
