import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** The way back to the list. */
export function BackToTestCases() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/$workspaceId/test-cases"
      params={{ workspaceId }}
      className="flex w-fit items-center gap-1 text-muted hover:text-ink"
    >
      <ChevronLeft aria-hidden="true" className="size-4 rtl:rotate-180" />
      {t('Test cases')}
    </Link>
  )
}
