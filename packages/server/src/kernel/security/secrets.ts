import type { Database } from '../storage/database.ts'

/**
 * Encrypts what must be stored but not readable in the database. `purpose` names the place of use (`signing-secret`): a value
 * sealed for one place does not open in another, so that rows cannot be exchanged.
 */
export interface Secrets {
  /** Returns text that is safe to store; different each time. */
  seal(plaintext: string, purpose: string): string
  /** @throws SealedValueError */
  open(sealed: string, purpose: string): string
}

/** A stored value that this installation's key does not open. The message says what to do and contains no secret. */
export class SealedValueError extends Error {
  readonly reason: 'wrong-key' | 'damaged'

  constructor(reason: 'wrong-key' | 'damaged', message: string) {
    super(message)
    this.name = 'SealedValueError'
    this.reason = reason
  }
}

interface InstallationKeyDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile'>
  readonly secrets: Secrets
  readonly randomBytes: (size: number) => Uint8Array
}

const KEY_BYTES = 32
const KEY_NAME = 'call_token_key'

/** The installation's key for tokens and links of calls, made when it is needed first: all nodes sign with the same. */
export function createInstallationKey(dependencies: InstallationKeyDependencies): () => Promise<Uint8Array> {
  let key: Promise<Uint8Array> | null = null
  return async () => {
    key ??= readOrMakeKey(dependencies)
    try {
      return await key
    } catch (error) {
      key = null
      throw error
    }
  }
}

async function readOrMakeKey(dependencies: InstallationKeyDependencies): Promise<Uint8Array> {
  const { database, secrets } = dependencies
  const find = () =>
    database.read.selectFrom('installation').select('value').where('name', '=', KEY_NAME).executeTakeFirst()
  let row = await find()
  if (row === undefined) {
    const value = secrets.seal(Buffer.from(dependencies.randomBytes(KEY_BYTES)).toString('base64url'), KEY_NAME)
    const query = database.compile.insertInto('installation').values({ name: KEY_NAME, value })
    await database.batch([{ query: query.onConflict((conflict) => conflict.column('name').doNothing()).compile() }])
    row = await find()
  }
  if (row === undefined) throw new Error('the key of calls was not stored')
  return Buffer.from(secrets.open(row.value, KEY_NAME), 'base64url')
}
