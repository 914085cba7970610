/** Filters of the audit log as the address has them. */
export interface AuditSearch {
  readonly userId?: string
  readonly operation?: string
  /** Days such as `2026-11-20`, where the person is. */
  readonly from?: string
  readonly to?: string
  /** `all`: not only what was done in this workspace. */
  readonly of?: 'all'
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isDay = (value: unknown): value is string => typeof value === 'string' && DAY.test(value)

/** What of an address can be filtered by; anything else is left out. */
export function readAuditSearch({ userId, operation, from, to, of }: Readonly<Record<string, unknown>>): AuditSearch {
  return {
    ...(isText(userId) && { userId }),
    ...(isText(operation) && { operation }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(of === 'all' && { of }),
  }
}

/** What the API takes. Days begin and end where the person is, not in Greenwich. */
export function auditQuery({ userId, operation, from, to, of }: AuditSearch) {
  return {
    ...(of === 'all' && { workspaceId: undefined }),
    ...(userId !== undefined && { userId }),
    ...(operation !== undefined && { operation }),
    ...instant('startDate', from, 'T00:00:00.000'),
    ...instant('endDate', to, 'T23:59:59.999'),
  }
}

function instant<Name extends string>(name: Name, day: string | undefined, time: string): { [Key in Name]?: string } {
  const date = new Date(`${day}${time}`)
  if (day === undefined || Number.isNaN(date.getTime())) return {}
  return { [name]: date.toISOString() } as { [Key in Name]?: string }
}
