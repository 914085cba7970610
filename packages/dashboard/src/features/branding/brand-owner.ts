export interface BrandOwner {
  readonly level: 'tenant' | 'provider'
  readonly id: string
}

/** The brand owner in the URL. Defaults to the account of the workspace. */
export interface BrandSearch {
  readonly tenantId?: string
  readonly providerId?: string
}

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''

export function readBrandSearch({ tenantId, providerId }: Readonly<Record<string, unknown>>): BrandSearch {
  if (isNonEmptyString(tenantId)) return { tenantId }
  return isNonEmptyString(providerId) ? { providerId } : {}
}

export function getOwnerFromSearch({ tenantId, providerId }: BrandSearch): BrandOwner | null {
  if (tenantId !== undefined) return { level: 'tenant', id: tenantId }
  return providerId === undefined ? null : { level: 'provider', id: providerId }
}

export function toOwnerFields({ level, id }: BrandOwner): { tenantId: string } | { providerId: string } {
  return level === 'tenant' ? { tenantId: id } : { providerId: id }
}

export const toOwnerKey = ({ level, id }: BrandOwner): string => `${level}:${id}`

export function parseOwnerKey(key: string): BrandOwner {
  const [level, ...id] = key.split(':')
  return { level: level === 'provider' ? 'provider' : 'tenant', id: id.join(':') }
}
