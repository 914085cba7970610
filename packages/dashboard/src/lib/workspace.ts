import { useParams } from '@tanstack/react-router'

/** Returns the workspace ID in the URL, or null if the page has none. */
export function useWorkspaceIdOrNull(): number | null {
  const { workspaceId } = useParams({ strict: false }) as { workspaceId?: string | number }
  return workspaceId === undefined ? null : Number(workspaceId)
}

/** Returns the workspace ID in the URL. Throws on pages without a workspace. */
export function useWorkspaceId(): number {
  const workspaceId = useWorkspaceIdOrNull()
  if (workspaceId === null) throw new Error('The URL of this page contains no workspace ID.')
  return workspaceId
}
