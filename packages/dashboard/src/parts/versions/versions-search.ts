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

/** Selects the versions to compare. Missing versions default to the latest two. */
export function selectComparedVersions(
  versions: readonly number[],
  { from, to }: VersionsSearch,
): Required<VersionsSearch> | null {
  const sortedVersions = [...versions].sort((a, b) => b - a)
  const newerVersion = to !== undefined && sortedVersions.includes(to) ? to : sortedVersions[0]
  if (newerVersion === undefined) return null
  const defaultOlderVersion =
    sortedVersions.find((version) => version < newerVersion) ??
    sortedVersions.find((version) => version !== newerVersion)
  const olderVersion = from !== undefined && sortedVersions.includes(from) ? from : defaultOlderVersion
  return olderVersion === undefined ? null : { from: olderVersion, to: newerVersion }
}
