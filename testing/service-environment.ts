import { readFileSync } from 'node:fs'
import { access, chown, constants, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Free memory above which non-durable data is stored in memory. */
const MIN_FREE_BYTES = 1024 ** 3
const TMPFS_TYPE = 0x01021994

/** Minimum age of an abandoned folder, since its owner's process may run in another container. */
const STALE_AFTER_MS = 3_600_000

/**
 * First port to try. It is below the ports for outgoing connections: a client that keeps retrying while the service is down
 * could get the service's own port, connect to itself and block the port.
 */
const FIRST_PORT = 20_000
const PORTS = 12_000

/** User that a process runs as. Empty for the current user. */
export interface ServiceUser {
  readonly uid?: number
  readonly gid?: number
}

/**
 * Returns the first of these users that exists if the current user is root. PostgreSQL refuses to run as root, and no service
 * requires it.
 */
export function findServiceUser(names: readonly string[]): ServiceUser {
  if (process.getuid?.() !== 0) return {}
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of names) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(`Cannot run a service as root, and none of the users ${names.join(', ')} exists.`)
}

/**
 * Creates a folder that belongs to `user`: on a real disk if the data must be durable, otherwise in memory if there is room. It
 * also removes folders of processes that ended long ago.
 */
export async function makeServiceFolder(
  name: string,
  { user, durable }: { readonly user: ServiceUser; readonly durable: boolean },
): Promise<string> {
  const parent = await chooseParent(durable)
  await removeStaleFolders(parent)
  const folder = await mkdtemp(join(parent, `parley-${name}-${process.pid}-`))
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid)
  return folder
}

async function chooseParent(durable: boolean): Promise<string> {
  if (!durable) return (await hasFreeSpace('/dev/shm')) ? '/dev/shm' : tmpdir()
  return (await isInMemory(tmpdir())) && !(await isInMemory('/var/tmp')) ? '/var/tmp' : tmpdir()
}

async function hasFreeSpace(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

/** An unreadable folder counts as in memory, since it cannot hold durable data. */
async function isInMemory(folder: string): Promise<boolean> {
  try {
    return (await statfs(folder)).type === TMPFS_TYPE
  } catch {
    return true
  }
}

/** Removes stale folders, which remain if a whole process group was killed, including watchdogs. */
async function removeStaleFolders(parent: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    const owner = /^parley-(?:postgres|redis)-(\d+)-\w{6}$/.exec(entry)?.[1]
    if (owner === undefined || isAlive(Number(owner))) continue
    const folder = join(parent, entry)
    const stats = await stat(folder).catch(() => null)
    if (stats === null || Date.now() - stats.mtimeMs < STALE_AFTER_MS) continue
    // Processes of another user can own and remove the folder. A PostgreSQL server without its folder exits within a minute.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Whether a process with this ID exists, regardless of its owner. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Returns a free loopback port. If another process takes the port first, the start tries another port. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}
