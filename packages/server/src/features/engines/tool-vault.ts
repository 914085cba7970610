import type { ErrorDetail } from '@parley/contract/errors'
import { STORED_VALUE } from '@parley/contract/secret-reference'
import { rejectProblems } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import { mapSecrets, type SecretLocation } from './tool-secrets.ts'

/** The workspace and the definitions that provide values for `__stored__`. */
interface SealContext {
  readonly workspaceId: number
  /** Stored definitions, starting with the edited definition. */
  readonly known: readonly object[]
}

/** Encrypts the secrets of tools and MCP servers for storage. */
export interface ToolVault {
  /**
   * Encrypts every secret and replaces `__stored__` with the stored value. Equal values keep their ciphertext, so that an empty
   * edit changes nothing. Throws `invalid_request` if no stored value exists for `__stored__`.
   */
  encrypt<Definition extends object>(definition: Definition, context: SealContext): Definition
  /** Returns the definition with decrypted secrets for conversations. */
  decrypt<Definition extends object>(definition: Definition, workspaceId: number): Definition
}

/** Prefix of encrypted values. Clients cannot store this prefix, because every secret in a request is encrypted. */
const SEALED_PREFIX = '__sealed__.'

export function createToolVault(secrets: Secrets): ToolVault {
  const sealValue = (value: string, workspaceId: number): string =>
    `${SEALED_PREFIX}${secrets.encrypt(value, getSealPurpose(workspaceId))}`
  const openValue = (value: string, workspaceId: number): string =>
    value.startsWith(SEALED_PREFIX)
      ? secrets.decrypt(value.slice(SEALED_PREFIX.length), getSealPurpose(workspaceId))
      : value
  /** Decrypts a value for comparison. A damaged value equals only itself and is replaced by the next write. */
  const openForComparison = (value: string, workspaceId: number): string => {
    try {
      return openValue(value, workspaceId)
    } catch {
      return value
    }
  }

  return {
    decrypt: (definition, workspaceId) => mapSecrets(definition, (value) => openValue(value, workspaceId)),

    encrypt(definition, { workspaceId, known }) {
      const storedSecrets = known.map((definition) =>
        indexSecrets(definition, (value) => openForComparison(value, workspaceId)),
      )
      const encryptedValues = new Set(
        storedSecrets.flatMap(({ values }) => values).filter((value) => value.startsWith(SEALED_PREFIX)),
      )
      const owners = listSecretOwners(definition)
      const problems: ErrorDetail[] = []
      const result = mapSecrets(definition, (value, location) => {
        if (encryptedValues.has(value)) return value
        if (value === STORED_VALUE) {
          const storedValue = findStored(storedSecrets, location, owners)
          if (storedValue === null) problems.push({ path: location.path, message: MISSING_VALUE_MESSAGE })
          return storedValue === null || encryptedValues.has(storedValue)
            ? (storedValue ?? value)
            : sealValue(storedValue, workspaceId)
        }
        const currentValue = storedSecrets[0]?.exact.get(toExactKey(location))
        if (
          currentValue !== undefined &&
          encryptedValues.has(currentValue) &&
          openForComparison(currentValue, workspaceId) === value
        )
          return currentValue
        return sealValue(value, workspaceId)
      })
      rejectProblems(problems)
      return result
    },
  }
}

const MISSING_VALUE_MESSAGE =
  `must be the value itself: no "${STORED_VALUE}" value was found for it. A stored value is kept for the same tool or MCP ` +
  'server and the same header or parameter'

/** Returns the encryption purpose, which binds values to their workspace. */
function getSealPurpose(workspaceId: number): string {
  return `tool:${workspaceId}`
}

/** A stored definition's secrets, indexed for lookup. */
interface StoredSecrets {
  readonly exact: ReadonlyMap<string, string>
  /** Distinct secrets by tool or server and slot, regardless of the list. */
  readonly byOwner: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly byPosition: ReadonlyMap<string, { readonly value: string; readonly owner: string }>
  readonly values: readonly string[]
}

const toExactKey = ({ list, owner, slot }: SecretLocation): string => JSON.stringify([list, owner, slot])
const toOwnerKey = ({ owner, slot }: SecretLocation): string => JSON.stringify([owner, slot])
const toPositionKey = ({ list, index, slot }: SecretLocation): string => JSON.stringify([list, index, slot])

function indexSecrets(definition: object, openForComparison: (value: string) => string): StoredSecrets {
  const exact = new Map<string, string>()
  const byOwner = new Map<string, Map<string, string>>()
  const byPosition = new Map<string, { value: string; owner: string }>()
  mapSecrets(definition, (value, location) => {
    exact.set(toExactKey(location), value)
    byPosition.set(toPositionKey(location), { value, owner: location.owner })
    const values = byOwner.get(toOwnerKey(location)) ?? new Map<string, string>()
    byOwner.set(toOwnerKey(location), values.set(openForComparison(value), value))
    return value
  })
  return { exact, byOwner, byPosition, values: [...exact.values()] }
}

/** Returns the tools and servers that have secrets, together with their lists. */
function listSecretOwners(definition: object): ReadonlySet<string> {
  const owners = new Set<string>()
  mapSecrets(definition, (value, { list, owner }) => {
    owners.add(JSON.stringify([list, owner]))
    return value
  })
  return owners
}

/** Finds a stored value by list and name, by an unambiguous name, or by the position of a renamed tool or server. */
function findStored(
  stored: readonly StoredSecrets[],
  location: SecretLocation,
  owners: ReadonlySet<string>,
): string | null {
  for (const { exact, byOwner } of stored) {
    const exactValue = exact.get(toExactKey(location))
    if (exactValue !== undefined) return exactValue
    const [value, ...otherValues] = byOwner.get(toOwnerKey(location))?.values() ?? []
    if (value !== undefined && otherValues.length === 0) return value
  }
  const secretAtPosition = stored[0]?.byPosition.get(toPositionKey(location))
  const isRenamed =
    secretAtPosition !== undefined && !owners.has(JSON.stringify([location.list, secretAtPosition.owner]))
  return isRenamed ? secretAtPosition.value : null
}
