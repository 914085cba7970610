import { useParams } from '@tanstack/react-router'

/** The workspace that the address names; null on pages of no workspace. */
export function useWorkspaceIdOrNull(): number | null {
  const { workspaceId } = useParams({ strict: false }) as { workspaceId?: string | number }
  return workspaceId === undefined ? null : Number(workspaceId)
}

/** The workspace of the page, which is one of a workspace. */
export function useWorkspaceId(): number {
  const workspaceId = useWorkspaceIdOrNull()
  if (workspaceId === null) throw new Error('This page belongs to no workspace.')
  return workspaceId
}
