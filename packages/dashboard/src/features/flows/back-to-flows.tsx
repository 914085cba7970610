import { BackLink } from '../../components/back-link.tsx'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** The way back to the list. */
export function BackToFlows() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/flows" params={{ workspaceId: useWorkspaceId() }}>
      {t('Conversation flows')}
    </BackLink>
  )
}
