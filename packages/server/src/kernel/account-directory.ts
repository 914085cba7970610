/** Which providers and tenants exist and who owns whom: small, and asked at many requests. */
export interface AccountDirectory {
  readonly providers: ReadonlySet<string>
  /** Provider id by account sid. */
  readonly tenants: ReadonlyMap<string, string>
  /** Account sid by workspace id. */
  readonly workspaces: ReadonlyMap<number, string>
}
