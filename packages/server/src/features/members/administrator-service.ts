import type { Administrator } from '@parley/contract/member'
import type { AdministratorScope, Administrators } from '../../kernel/administrators.ts'
import type { Database, Transaction } from '../../kernel/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { demote, findAdministrators, findWorkspacesOfAdministrators, promote } from './administrator-store.ts'
import type { People } from './people.ts'
import { deleteForsakenPerson, findWorkspacesOf } from './people-store.ts'
import { describePerson, mayLearnName, type Person } from './person.ts'

export function createAdministratorService({
  database,
  people,
}: {
  readonly database: Database
  readonly people: People
}): Administrators {
  async function dismiss(transaction: Transaction, scope: AdministratorScope, userId: string | null): Promise<boolean> {
    const dismissed = await demote(transaction, scope, userId)
    for (const id of dismissed) await deleteForsakenPerson(transaction, id)
    return dismissed.length > 0
  }

  return {
    async list(actor, scope, page) {
      const { items, next } = await findAdministrators(database.read, scope, page)
      const workspaces = await findWorkspacesOfAdministrators(database.read, scope)
      const toItem = (person: Person): Administrator => {
        const own = workspaces.get(person.userId) ?? []
        // Its role is known to whoever may see this list.
        return toAdministrator(person, own.length === 0 || mayLearnName(actor, person, own) ? person.name : '')
      }
      return { items: items.map(toItem), next }
    },

    async add(transaction, actor, { scope, body }) {
      const { person, invitation } = await people.provide(transaction, {
        ...body,
        accountSid: scope.role === 'tenant_admin' ? scope.accountSid : null,
      })
      if (isWithin(person, scope)) {
        throw new AppError('id_taken', 'Somebody with this e-mail address is an administrator here already.')
      }
      if (!(await promote(transaction, person.userId, scope))) {
        throw new AppError(
          'in_use',
          'Somebody with this e-mail address administers something else. One person can administer one thing only.',
        )
      }
      const own = await findWorkspacesOf(transaction, person.userId)
      const known = mayLearnName(actor, person, own) ? person.name : ''
      return { ...toAdministrator(person, body.name ?? known), ...invitation }
    },

    remove: (transaction, scope, userId) => dismiss(transaction, scope, userId),

    async removeAll(transaction, scope) {
      await dismiss(transaction, scope, null)
    },
  }
}

function isWithin(person: Person, scope: AdministratorScope): boolean {
  if (person.role !== scope.role) return false
  return scope.role === 'tenant_admin' ? person.accountSid === scope.accountSid : person.providerId === scope.providerId
}

function toAdministrator(person: Person, name: string): Administrator {
  return { ...describePerson(person, name), createdAt: new Date(person.createdAt).toISOString() }
}
