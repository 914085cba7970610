import { Resolver } from 'node:dns/promises'
import type { Clock } from '@parley/engine/ports'

export interface TxtReaderOptions {
  readonly clock: Pick<Clock, 'after'>
  /** Name servers as `address:port`; the system's by default. */
  readonly servers?: readonly string[]
}

/** Time limit of the lookup for all name servers. */
const DEADLINE_MS = 5_000
const ATTEMPT_TIMEOUT_MS = 2_000
const TRIES = 2
/** Further records of a name are ignored. */
const MAX_RECORDS = 100
/** Codes of names without such a record. */
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** Reads the TXT records of a name; `null` when no name server answers in time. */
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
