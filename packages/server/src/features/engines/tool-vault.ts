import type { ErrorDetail } from '@parley/contract/errors'
import { STORED_VALUE } from '@parley/contract/secret-reference'
import { AppError } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import { mapSecrets, type SecretLocation } from './tool-secrets.ts'

/** Whose secrets they are, and where values for `__stored__` are looked for. */
export interface SealContext {
  readonly workspaceId: number
  /** Stored definitions, the one being edited first. */
  readonly known: readonly object[]
}

/** Encrypts the secrets of tools and MCP servers before they are stored. */
export interface ToolVault {
  /**
   * Seals every secret and replaces `__stored__` by the stored value. Equal values keep their ciphertext, so that an edit of
   * nothing stays one. Throws `invalid_request` for a `__stored__` without a stored value.
   */
  seal<Definition extends object>(definition: Definition, context: SealContext): Definition
  /** The definition as conversations use it. */
  open<Definition extends object>(definition: Definition, workspaceId: number): Definition
}

/** Nobody can store such a text themselves: whatever a request contains is sealed. */
const SEALED_PREFIX = '__sealed__.'

export function createToolVault(secrets: Secrets): ToolVault {
  const sealOne = (value: string, workspaceId: number): string =>
    `${SEALED_PREFIX}${secrets.seal(value, purposeOf(workspaceId))}`
  const openOne = (value: string, workspaceId: number): string =>
    value.startsWith(SEALED_PREFIX) ? secrets.open(value.slice(SEALED_PREFIX.length), purposeOf(workspaceId)) : value
  /** A damaged value is equal to itself only: it is replaced by what is written. */
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
      refuse(problems)
      return result
    },
  }
}

const NOTHING_STORED =
  `must be the value itself: no "${STORED_VALUE}" value was found for it. A stored value is kept for the same tool or MCP ` +
  'server and the same header or parameter'

/** A value of one workspace does not open in another. */
function purposeOf(workspaceId: number): string {
  return `tool:${workspaceId}`
}

function refuse(problems: readonly ErrorDetail[]): void {
  const [first] = problems
  if (first === undefined) return
  throw new AppError('invalid_request', `${first.path}: ${first.message}`, { details: problems })
}

/** The secrets of a stored definition, by the ways to find them again. */
interface StoredSecrets {
  readonly exact: ReadonlyMap<string, string>
  /** By tool or server and slot, whatever list it is in: each distinct secret once. */
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

/** Tools and servers that hold secrets, with their list. */
function ownersIn(definition: object): ReadonlySet<string> {
  const owners = new Set<string>()
  mapSecrets(definition, (value, { list, owner }) => {
    owners.add(JSON.stringify([list, owner]))
    return value
  })
  return owners
}

/** By list and name, by the name alone where it is not ambiguous, or at the position of one that was renamed. */
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
