import type { Administrator, AdministratorAdded } from '@parley/contract/member'
import { type Pages, usePages, useWrite } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { useMay } from '../../lib/session/rights.ts'

/** Somebody to be made an administrator. */
export interface NewAdministrator {
  readonly email: string
  readonly name: string | null
}

/** The people who administer one account or provider, and what can be done with them. */
export interface Administration {
  readonly pages: Pages<Administrator>
  readonly mayChange: boolean
  readonly add: (person: NewAdministrator) => Promise<AdministratorAdded>
  readonly isAdding: boolean
  readonly addProblem: Problem | null
  readonly remove: (userId: string) => Promise<unknown>
  readonly isRemoving: boolean
  readonly removeProblem: Problem | null
  /** Forgets what went wrong. */
  readonly reset: () => void
}

export function useTenantAdministration(tenantId: string): Administration {
  const may = useMay()
  const pages = usePages('listTenantAdmins', { path: { tenantId } })
  const add = useWrite('addTenantAdmin', { refreshes: ['listTenantAdmins'] })
  const remove = useWrite('removeTenantAdmin', { refreshes: ['listTenantAdmins', 'getSession'] })
  return {
    pages,
    mayChange: may('addTenantAdmin'),
    add: async (body) => (await add.mutateAsync({ path: { tenantId }, body })).value,
    remove: (userId) => remove.mutateAsync({ path: { tenantId, userId } }),
    ...statesOf(add, remove),
  }
}

export function useProviderAdministration(providerId: string): Administration {
  const may = useMay()
  const pages = usePages('listProviderAdmins', { path: { providerId } })
  const add = useWrite('addProviderAdmin', { refreshes: ['listProviderAdmins'] })
  const remove = useWrite('removeProviderAdmin', { refreshes: ['listProviderAdmins', 'getSession'] })
  return {
    pages,
    mayChange: may('addProviderAdmin'),
    add: async (body) => (await add.mutateAsync({ path: { providerId }, body })).value,
    remove: (userId) => remove.mutateAsync({ path: { providerId, userId } }),
    ...statesOf(add, remove),
  }
}

interface WriteState {
  readonly isPending: boolean
  readonly error: Problem | null
  reset(): void
}

function statesOf(add: WriteState, remove: WriteState) {
  return {
    isAdding: add.isPending,
    addProblem: add.error,
    isRemoving: remove.isPending,
    removeProblem: remove.error,
    reset: () => {
      add.reset()
      remove.reset()
    },
  }
}
