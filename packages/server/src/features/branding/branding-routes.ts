import { getBrandDomain, getBranding, updateBranding, verifyBrandDomain } from '@parley/contract/branding'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { BrandOwner } from './brand-owner.ts'
import type { BrandingService } from './branding-service.ts'
import type { DomainService } from './domain-service.ts'

/** Mounts the operations of branding. */
export function registerBrandingRoutes(api: Api, service: BrandingService, domains: DomainService): void {
  implement(
    api,
    getBranding,
  )(({ query }, { client }) => service.get(ownerOf(query.tenantId, query.providerId), client().host))

  implement(api, updateBranding)(({ body }, { actor }) => service.update(actor, body))
  implement(api, getBrandDomain)(({ query }, { actor }) => domains.get(actor, query))
  implement(api, verifyBrandDomain)(({ body }, { actor }) => domains.verify(actor, body))
}

function ownerOf(accountSid: string | undefined, providerId: string | undefined): BrandOwner | null {
  if (accountSid !== undefined) return { level: 'tenant', accountSid }
  return providerId === undefined ? null : { level: 'provider', providerId }
}
