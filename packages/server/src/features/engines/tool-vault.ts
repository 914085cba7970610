import type { ErrorDetail } from '@parley/contract/errors'
import { STORED_VALUE } from '@parley/contract/secret-reference'
import { rejectProblems } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import { mapSecrets, type SecretLocation } from './tool-secrets.ts'

/** The workspace and the definitions that provide values for `__stored__`. */
interface EncryptionContext {
  readonly workspaceId: number
  /** Stored definitions, starting with the edited definition. */
  readonly storedDefinitions: readonly object[]
}

/** Encrypts the secrets of tools and MCP servers for storage. */
export interface ToolVault {
  /**
   * Encrypts every secret and replaces `__stored__` with the stored value. Unchanged values keep their ciphertext. Throws
   * `invalid_request` if no value is stored.
   */
  encrypt<Definition extends object>(definition: Definition, context: EncryptionContext): Definition
  /** Returns the definition with decrypted secrets for conversations. */
  decrypt<Definition extends object>(definition: Definition, workspaceId: number): Definition
}

/** Prefix of encrypted values. Clients cannot store this prefix, because every secret in a request is encrypted. */
const ENCRYPTED_PREFIX = '__sealed__.'

export function createToolVault(secrets: Secrets): ToolVault {
  const encryptValue = (value: string, workspaceId: number): string =>
    `${ENCRYPTED_PREFIX}${secrets.encrypt(value, getEncryptionPurpose(workspaceId))}`
  const decryptValue = (value: string, workspaceId: number): string =>
    value.startsWith(ENCRYPTED_PREFIX)
      ? secrets.decrypt(value.slice(ENCRYPTED_PREFIX.length), getEncryptionPurpose(workspaceId))
      : value
  /** Decrypts a value for comparison. Returns a damaged value as it is. */
  const decryptForComparison = (value: string, workspaceId: number): string => {
    try {
      return decryptValue(value, workspaceId)
    } catch {
      return value
    }
  }

  return {
    decrypt: (definition, workspaceId) => mapSecrets(definition, (value) => decryptValue(value, workspaceId)),

    encrypt(definition, { workspaceId, storedDefinitions }) {
      const storedSecrets = storedDefinitions.map((definition) =>
        indexSecrets(definition, (value) => decryptForComparison(value, workspaceId)),
      )
      const encryptedValues = new Set(
        storedSecrets.flatMap(({ values }) => values).filter((value) => value.startsWith(ENCRYPTED_PREFIX)),
      )
      const owners = listSecretOwners(definition)
      const problems: ErrorDetail[] = []
      const result = mapSecrets(definition, (value, location) => {
        if (encryptedValues.has(value)) return value
        if (value === STORED_VALUE) {
          const storedValue = findStoredValue(storedSecrets, location, owners)
          if (storedValue === null) problems.push({ path: location.path, message: MISSING_VALUE_MESSAGE })
          return storedValue === null || encryptedValues.has(storedValue)
            ? (storedValue ?? value)
            : encryptValue(storedValue, workspaceId)
        }
        const currentValue = storedSecrets[0]?.byLocation.get(toLocationKey(location))
        if (
          currentValue !== undefined &&
          encryptedValues.has(currentValue) &&
          decryptForComparison(currentValue, workspaceId) === value
        )
          return currentValue
        return encryptValue(value, workspaceId)
      })
      rejectProblems(problems)
      return result
    },
  }
}

const MISSING_VALUE_MESSAGE =
  `must not be "${STORED_VALUE}", because no value is stored. Values are stored by tool or MCP server and by header or ` +
  'parameter'

/** Returns the encryption purpose, which binds values to their workspace. */
function getEncryptionPurpose(workspaceId: number): string {
  return `tool:${workspaceId}`
}

/** A stored definition's secrets, indexed for lookup. */
interface StoredSecrets {
  readonly byLocation: ReadonlyMap<string, string>
  /** Distinct secrets by tool or MCP server and slot, regardless of the list. */
  readonly byOwner: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly byPosition: ReadonlyMap<string, { readonly value: string; readonly owner: string }>
  readonly values: readonly string[]
}

const toLocationKey = ({ list, owner, slot }: SecretLocation): string => JSON.stringify([list, owner, slot])
const toOwnerKey = ({ owner, slot }: SecretLocation): string => JSON.stringify([owner, slot])
const toPositionKey = ({ list, index, slot }: SecretLocation): string => JSON.stringify([list, index, slot])

function indexSecrets(definition: object, decryptForComparison: (value: string) => string): StoredSecrets {
  const byLocation = new Map<string, string>()
  const byOwner = new Map<string, Map<string, string>>()
  const byPosition = new Map<string, { value: string; owner: string }>()
  mapSecrets(definition, (value, location) => {
    byLocation.set(toLocationKey(location), value)
    byPosition.set(toPositionKey(location), { value, owner: location.owner })
    const values = byOwner.get(toOwnerKey(location)) ?? new Map<string, string>()
    byOwner.set(toOwnerKey(location), values.set(decryptForComparison(value), value))
    return value
  })
  return { byLocation, byOwner, byPosition, values: [...byLocation.values()] }
}

/** Returns the keys of the tools and MCP servers that have secrets. */
function listSecretOwners(definition: object): ReadonlySet<string> {
  const owners = new Set<string>()
  mapSecrets(definition, (value, { list, owner }) => {
    owners.add(JSON.stringify([list, owner]))
    return value
  })
  return owners
}

/** Finds a stored value by list and name, by an unambiguous name, or by the position of a renamed tool or MCP server. */
function findStoredValue(
  storedSecrets: readonly StoredSecrets[],
  location: SecretLocation,
  owners: ReadonlySet<string>,
): string | null {
  for (const { byLocation, byOwner } of storedSecrets) {
    const exactValue = byLocation.get(toLocationKey(location))
    if (exactValue !== undefined) return exactValue
    const [value, ...otherValues] = byOwner.get(toOwnerKey(location))?.values() ?? []
    if (value !== undefined && otherValues.length === 0) return value
  }
  const secretAtPosition = storedSecrets[0]?.byPosition.get(toPositionKey(location))
  const isRenamed =
    secretAtPosition !== undefined && !owners.has(JSON.stringify([location.list, secretAtPosition.owner]))
  return isRenamed ? secretAtPosition.value : null
}
