import { readFileSync } from 'node:fs'
import { access, chown, constants, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Data that need not last go into memory when this much is free there. */
const MIN_FREE_BYTES = 1024 ** 3
const TMPFS_TYPE = 0x01021994

/** An abandoned folder is left alone this long: its owner may live where we cannot see its process. */
const STALE_AFTER_MS = 3_600_000

/**
 * Below the ports that systems hand to outgoing connections: there a client that tries again and again while the service is
 * down could be given the service's own port, connect to itself and keep the port from the service.
 */
const FIRST_PORT = 20_000
const PORTS = 12_000

/** Whom a process runs as; empty for ourselves. */
export interface ServiceUser {
  readonly uid?: number
  readonly gid?: number
}

/** The first of these users that the system has, when we are root: PostgreSQL refuses root, and nothing needs it. */
export function findServiceUser(names: readonly string[]): ServiceUser {
  if (process.getuid?.() !== 0) return {}
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of names) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(`None of the users ${names.join(', ')} exists, and a service does not run as root.`)
}

/**
 * A new folder that belongs to `user`: on a real disk when its data are to be durable, otherwise in memory where that has
 * room. Folders of processes that are long gone are removed on the way.
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

/** What is left where a whole group of processes was killed, watchdogs included. */
async function removeStaleFolders(parent: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    const owner = /^parley-(?:postgres|redis)-(\d+)-\w{6}$/.exec(entry)?.[1]
    if (owner === undefined || isAlive(Number(owner))) continue
    const folder = join(parent, entry)
    const found = await stat(folder).catch(() => null)
    if (found === null || Date.now() - found.mtimeMs < STALE_AFTER_MS) continue
    // Another user's processes may own it and remove it. A PostgreSQL without its folder exits within a minute.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Whether a process with this id exists, ours or not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** A free loopback port. If another process takes it first, the start tries another port. */
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
