import type { ErrorDetail } from '@parley/contract/errors'
import { STORED_VALUE } from '@parley/contract/secret-reference'
import { rejectProblems } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import { mapSecrets, type SecretLocation } from './tool-secrets.ts'

/** The workspace, and where to find values for `__stored__`. */
interface SealContext {
  readonly workspaceId: number
  /** Stored definitions, the edited one first. */
  readonly known: readonly object[]
}

/** Encrypts secrets of tools and MCP servers for storage. */
export interface ToolVault {
  /**
   * Seals every secret and replaces `__stored__` by the stored value. Equal values keep their ciphertext, so that an
   * empty edit stays empty. Throws `invalid_request` for `__stored__` without a stored value.
   */
  seal<Definition extends object>(definition: Definition, context: SealContext): Definition
  /** The definition for conversations. */
  open<Definition extends object>(definition: Definition, workspaceId: number): Definition
}

/** Clients cannot store this prefix: everything in a request is sealed. */
const SEALED_PREFIX = '__sealed__.'

export function createToolVault(secrets: Secrets): ToolVault {
  const sealOne = (value: string, workspaceId: number): string =>
    `${SEALED_PREFIX}${secrets.seal(value, purposeOf(workspaceId))}`
  const openOne = (value: string, workspaceId: number): string =>
    value.startsWith(SEALED_PREFIX) ? secrets.open(value.slice(SEALED_PREFIX.length), purposeOf(workspaceId)) : value
  /** A damaged value equals only itself and is replaced by the next write. */
  const identify = (value: string, workspaceId: number): string => {
    try {
      return openOne(value, workspaceId)
    } catch {
      return value
    }
  }

  return {
    open: (definition, workspaceId) => mapSecrets(definition, (value) => openOne(value, workspaceId)),

    seal(definition, { workspaceId, known }) {
      const stored = known.map((one) => indexSecrets(one, (value) => identify(value, workspaceId)))
      const sealed = new Set(stored.flatMap(({ values }) => values).filter((value) => value.startsWith(SEALED_PREFIX)))
      const owners = ownersIn(definition)
      const problems: ErrorDetail[] = []
      const result = mapSecrets(definition, (value, location) => {
        if (sealed.has(value)) return value
        if (value === STORED_VALUE) {
          const found = findStored(stored, location, owners)
          if (found === null) problems.push({ path: location.path, message: NOTHING_STORED })
          return found === null || sealed.has(found) ? (found ?? value) : sealOne(found, workspaceId)
        }
        const before = stored[0]?.exact.get(exactKey(location))
        if (before !== undefined && sealed.has(before) && identify(before, workspaceId) === value) return before
        return sealOne(value, workspaceId)
      })
      rejectProblems(problems)
      return result
    },
  }
}

const NOTHING_STORED =
  `must be the value itself: no "${STORED_VALUE}" value was found for it. A stored value is kept for the same tool or MCP ` +
  'server and the same header or parameter'

/** Binds values to their workspace. */
function purposeOf(workspaceId: number): string {
  return `tool:${workspaceId}`
}

/** Secrets of a stored definition, indexed for lookup. */
interface StoredSecrets {
  readonly exact: ReadonlyMap<string, string>
  /** Distinct secrets by tool or server and slot, in any list. */
  readonly byOwner: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly byPosition: ReadonlyMap<string, { readonly value: string; readonly owner: string }>
  readonly values: readonly string[]
}

const exactKey = ({ list, owner, slot }: SecretLocation): string => JSON.stringify([list, owner, slot])
const ownerKey = ({ owner, slot }: SecretLocation): string => JSON.stringify([owner, slot])
const positionKey = ({ list, index, slot }: SecretLocation): string => JSON.stringify([list, index, slot])

function indexSecrets(definition: object, identify: (value: string) => string): StoredSecrets {
  const exact = new Map<string, string>()
  const byOwner = new Map<string, Map<string, string>>()
  const byPosition = new Map<string, { value: string; owner: string }>()
  mapSecrets(definition, (value, location) => {
    exact.set(exactKey(location), value)
    byPosition.set(positionKey(location), { value, owner: location.owner })
    const values = byOwner.get(ownerKey(location)) ?? new Map<string, string>()
    byOwner.set(ownerKey(location), values.set(identify(value), value))
    return value
  })
  return { exact, byOwner, byPosition, values: [...exact.values()] }
}

/** Tools and servers with secrets, with their list. */
function ownersIn(definition: object): ReadonlySet<string> {
  const owners = new Set<string>()
  mapSecrets(definition, (value, { list, owner }) => {
    owners.add(JSON.stringify([list, owner]))
    return value
  })
  return owners
}

/** By list and name, by an unambiguous name alone, or at the position of a renamed one. */
function findStored(
  stored: readonly StoredSecrets[],
  location: SecretLocation,
  owners: ReadonlySet<string>,
): string | null {
  for (const { exact, byOwner } of stored) {
    const found = exact.get(exactKey(location))
    if (found !== undefined) return found
    const [one, ...others] = byOwner.get(ownerKey(location))?.values() ?? []
    if (one !== undefined && others.length === 0) return one
  }
  const moved = stored[0]?.byPosition.get(positionKey(location))
  const isRenamed = moved !== undefined && !owners.has(JSON.stringify([location.list, moved.owner]))
  return isRenamed ? moved.value : null
}
