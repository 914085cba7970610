import { readChoice, readDay, readText, removeUndefined, toDateRange } from '../../parts/transcript/search-params.ts'

/** Audit log filters in the URL. */
export interface AuditSearch {
  readonly userId?: string
  readonly operation?: string
  /** Days in the browser's time zone. */
  readonly from?: string
  readonly to?: string
  /** `all` covers every workspace that the user administers. */
  readonly scope?: 'all'
}

export function readAuditSearch({
  userId,
  operation,
  from,
  to,
  scope,
}: Readonly<Record<string, unknown>>): AuditSearch {
  return removeUndefined({
    userId: readText(userId),
    operation: readText(operation),
    from: readDay(from),
    to: readDay(to),
    scope: readChoice(scope, ['all']),
  })
}

export function toAuditQuery({ userId, operation, from, to, scope }: AuditSearch) {
  return {
    ...(scope === 'all' && { workspaceId: undefined }),
    ...removeUndefined({ userId, operation }),
    ...toDateRange(from, to),
  }
}
