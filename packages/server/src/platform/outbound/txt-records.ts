import { Resolver } from 'node:dns/promises'
import type { Clock } from '@parley/engine/ports'

export interface TxtReaderOptions {
  readonly clock: Pick<Clock, 'after'>
  /** Name servers as `address:port`; those of the system unless given. */
  readonly servers?: readonly string[]
}

/** For the whole lookup, whatever the number of name servers. */
const DEADLINE_MS = 5_000
const ATTEMPT_TIMEOUT_MS = 2_000
const TRIES = 2
/** More records at one name are not looked at. */
const MAX_RECORDS = 100
/** The name has no such record. */
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** Reads the TXT records at a name from the DNS; `null` when no name server answers in time. */
export function createTxtReader({
  clock,
  servers,
}: TxtReaderOptions): (name: string) => Promise<readonly string[] | null> {
  return async (name) => {
    const resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const cancelDeadline = clock.after(DEADLINE_MS, () => resolver.cancel())
    try {
      const records = await resolver.resolveTxt(name)
      return records.slice(0, MAX_RECORDS).map((parts) => parts.join(''))
    } catch (error) {
      return NOT_FOUND_CODES.has((error as NodeJS.ErrnoException).code) ? [] : null
    } finally {
      cancelDeadline()
    }
  }
}
