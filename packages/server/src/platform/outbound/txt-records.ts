import { Resolver } from 'node:dns/promises'
import type { Clock } from '@parley/engine/ports'

export interface TxtReaderOptions {
  readonly clock: Pick<Clock, 'after'>
  /** Name servers as `address:port`; defaults to the system's name servers. */
  readonly servers?: readonly string[]
}

/** Time limit of the lookup across all name servers. */
const LOOKUP_TIMEOUT_MS = 5_000
const ATTEMPT_TIMEOUT_MS = 2_000
const MAX_ATTEMPTS = 2
/** Further records of a name are ignored. */
const MAX_RECORDS = 100
/** Error codes of names without TXT records. */
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** Creates a function that reads the TXT records of a name. Returns null if no name server responds in time. */
export function createTxtReader({
  clock,
  servers,
}: TxtReaderOptions): (name: string) => Promise<readonly string[] | null> {
  return async (name) => {
    const resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: MAX_ATTEMPTS })
    if (servers !== undefined) resolver.setServers(servers)
    const cancelDeadline = clock.after(LOOKUP_TIMEOUT_MS, () => resolver.cancel())
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
