import { useParams } from '@tanstack/react-router'

/** The workspace in the address; null on pages without one. */
export function useWorkspaceIdOrNull(): number | null {
  const { workspaceId } = useParams({ strict: false }) as { workspaceId?: string | number }
  return workspaceId === undefined ? null : Number(workspaceId)
}

/** The workspace in the address. Throws on pages without one. */
export function useWorkspaceId(): number {
  const workspaceId = useWorkspaceIdOrNull()
  if (workspaceId === null) throw new Error('This page belongs to no workspace.')
  return workspaceId
}
