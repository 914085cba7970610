/** Whose brand is edited: that of an account (tenant) or of a provider. */
export interface BrandOwner {
  readonly level: 'tenant' | 'provider'
  readonly id: string
}

/** The owner as the address has it; without one it is the account of the workspace. */
export interface BrandSearch {
  readonly tenantId?: string
  readonly providerId?: string
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export function readBrandSearch({ tenantId, providerId }: Readonly<Record<string, unknown>>): BrandSearch {
  if (isText(tenantId)) return { tenantId }
  return isText(providerId) ? { providerId } : {}
}

/** The owner that an address names; null where it names none. */
export function ownerOfSearch({ tenantId, providerId }: BrandSearch): BrandOwner | null {
  if (tenantId !== undefined) return { level: 'tenant', id: tenantId }
  return providerId === undefined ? null : { level: 'provider', id: providerId }
}

/** How an address and the API name an owner. */
export function ownerFields({ level, id }: BrandOwner): { tenantId: string } | { providerId: string } {
  return level === 'tenant' ? { tenantId: id } : { providerId: id }
}

/** One text for an owner, and the owner of such a text. */
export const ownerKey = ({ level, id }: BrandOwner): string => `${level}:${id}`

export function ownerOfKey(key: string): BrandOwner {
  const [level, ...id] = key.split(':')
  return { level: level === 'provider' ? 'provider' : 'tenant', id: id.join(':') }
}
