/** Names at most this many. */
const MAX_NAMED = 20
/** Ids that one statement looks up. */
const IDS_PER_QUERY = 200

/** The first of the named ids that do not exist, each once. `find` returns those of some ids that do. */
export async function findMissing(
  named: readonly string[],
  find: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const ids = [...new Set(named)]
  const missing: string[] = []
  for (let start = 0; start < ids.length && missing.length < MAX_NAMED; start += IDS_PER_QUERY) {
    const some = ids.slice(start, start + IDS_PER_QUERY)
    const known = new Set(await find(some))
    missing.push(...some.filter((id) => !known.has(id)))
  }
  return missing.slice(0, MAX_NAMED)
}
