/** The compared versions, as search parameters. */
export interface VersionsSearch {
  readonly from?: number
  readonly to?: number
}

/** Validates the search parameters of every route with a `VersionsView`. */
export function readVersionsSearch({ from, to }: Readonly<Record<string, unknown>>): VersionsSearch {
  return { ...(isVersion(from) && { from }), ...(isVersion(to) && { to }) }
}

const isVersion = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 1

/** Returns the requested versions if they exist, or otherwise the latest two. */
export function selectComparedVersions(
  versions: readonly number[],
  { from, to }: VersionsSearch,
): Required<VersionsSearch> | null {
  const sorted = [...versions].sort((a, b) => b - a)
  const latest = to !== undefined && sorted.includes(to) ? to : sorted[0]
  if (latest === undefined) return null
  const defaultOlder = sorted.find((version) => version < latest) ?? sorted.find((version) => version !== latest)
  const older = from !== undefined && sorted.includes(from) ? from : defaultOlder
  return older === undefined ? null : { from: older, to: latest }
}
