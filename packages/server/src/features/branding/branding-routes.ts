import { getBranding, updateBranding } from '@parley/contract/branding'
import { type Api, implement } from '../../http/implement.ts'
import type { BrandingService, BrandOwner } from './branding-service.ts'

/** Mounts the operations of branding. */
export function registerBrandingRoutes(api: Api, service: BrandingService): void {
  implement(
    api,
    getBranding,
  )(({ query }, { client }) => service.get(ownerOf(query.tenantId, query.providerId), client().host))

  implement(api, updateBranding)(({ body }, { actor }) => service.update(actor, body))
}

function ownerOf(accountSid: string | undefined, providerId: string | undefined): BrandOwner | null {
  if (accountSid !== undefined) return { level: 'tenant', accountSid }
  return providerId === undefined ? null : { level: 'provider', providerId }
}
