import { type Access, isLevelAtLeast, isRoleAtLeast, RIGHTS } from '@parley/contract/access'
import { operationTable } from '@parley/contract/operation-table'
import type { CurrentSession } from '@parley/contract/session'
import type { OperationName } from '../api/request.ts'
import { useWorkspaceIdOrNull } from '../workspace.ts'
import { useSession } from './session.ts'

/** Whether a session can call an operation in a workspace, or in any workspace. The server checks again. */
export function canCall(session: CurrentSession, name: OperationName, workspaceId: number | null): boolean {
  const access: Access = operationTable[name][2]
  if (access === 'public' || access === 'session') return true
  const { scope, level, role } = RIGHTS[access]
  if (!session.scopes.includes(scope) || !isRoleAtLeast(session.role, role)) return false
  if (workspaceId === null || operationTable[name][3] === 'none') {
    return (
      isRoleAtLeast(session.role, 'tenant_admin') ||
      session.workspaces.some((membership) => isLevelAtLeast(membership.level, level))
    )
  }
  const workspace = session.workspaces.find(({ id }) => id === workspaceId)
  return workspace !== undefined && isLevelAtLeast(workspace.level, level)
}

/** Returns a function that checks whether the user can call an operation in the current workspace. */
export function useCan(): (name: OperationName) => boolean {
  const session = useSession()
  const workspaceId = useWorkspaceIdOrNull()
  return (name) => canCall(session, name, workspaceId)
}
