import { BackLink } from '../../components/back-link.tsx'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** The way back to the list. */
export function BackToTestCases() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/test-cases" params={{ workspaceId: useWorkspaceId() }}>
      {t('Test cases')}
    </BackLink>
  )
}
