import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FILE_NAME = 'secret.key'
const MIN_LENGTH = 32

export interface SecretKeyOptions {
  /** The setting SECRET_KEY; undefined when not set. */
  readonly secretKey: string | undefined
  /** Where a generated key is kept; exists already. */
  readonly dataDirectory: string
}

/** The installation's key: the setting when there is one, else the one in the data folder, made at the first start. */
export async function loadSecretKey({ secretKey, dataDirectory }: SecretKeyOptions): Promise<string> {
  if (secretKey !== undefined) return checked(secretKey, 'SECRET_KEY')
  const file = join(dataDirectory, FILE_NAME)
  const existing = await readIfExists(file)
  if (existing !== null) return checked(existing.trim(), file)
  await createKeyFile(file)
  // Read back: another process may have been faster.
  return checked((await readFile(file, 'utf8')).trim(), file)
}

function checked(key: string, source: string): string {
  if (key.length >= MIN_LENGTH) return key
  throw new Error(
    `${source} must hold at least ${MIN_LENGTH} characters: set a long random value, for example from "openssl rand -hex 32".`,
  )
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Complete or not there: written and flushed under another name first. `link` never replaces a key that is in use. */
async function createKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`)
    await handle.sync()
    await link(draft, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
