import type { Administrator } from '@parley/contract/member'
import { useRead } from '../../lib/api/hooks.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

const MAX_ADMINISTRATORS = 1_000

/** Reads the administrators of the account that owns the workspace. The list is empty for users without permission. */
export function useAdministrators(): { readonly people: readonly Administrator[]; readonly isLoading: boolean } {
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const tenantId = useWorkspaces().find(({ id }) => id === workspaceId)?.accountSid ?? ''
  const { data, isLoading } = useRead(
    'listTenantAdmins',
    { path: { tenantId }, query: { limit: MAX_ADMINISTRATORS } },
    { enabled: tenantId !== '' && can('listTenantAdmins') },
  )
  return { people: data ?? [], isLoading }
}
