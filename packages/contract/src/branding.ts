import { z } from 'zod'
import { id } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Branding: the product's name and appearance for customers of a tenant or provider. */

const LOGO_LIMIT_BYTES = 64 * 1024
const MAX_URL_LENGTH = 2048
const DATA_IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml|x-icon|vnd\.microsoft\.icon);base64,[A-Za-z0-9+/]+={0,2}$/
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const FIELD_DESCRIPTIONS = {
  productName: 'Name of the product.',
  logoUrl: 'Logo, as an https URL or a base64 `data:image/…` URL of at most 65536 characters.',
  faviconUrl: 'Favicon, in the same format as `logoUrl`.',
  primaryColor: 'Primary color, `#rrggbb`.',
  accentColor: 'Accent color, `#rrggbb`.',
  supportEmail: 'E-mail address for support.',
  supportUrl: 'HTTPS URL of the help page.',
  termsUrl: 'HTTPS URL of the terms of service.',
  privacyUrl: 'HTTPS URL of the privacy policy.',
  showPoweredBy: 'Whether pages display the name of the platform next to the brand.',
  domain: 'Host name that displays this brand after verification (see `verifyBrandDomain`).',
}

/** Branding of a tenant or provider. Null inherits the value from the next level up. */
export const BrandingSettings = z.object({
  productName: z.string().nullable().describe(FIELD_DESCRIPTIONS.productName),
  logoUrl: z.string().nullable().describe(FIELD_DESCRIPTIONS.logoUrl),
  faviconUrl: z.string().nullable().describe(FIELD_DESCRIPTIONS.faviconUrl),
  primaryColor: z.string().nullable().describe(FIELD_DESCRIPTIONS.primaryColor),
  accentColor: z.string().nullable().describe(FIELD_DESCRIPTIONS.accentColor),
  supportEmail: z.string().nullable().describe(FIELD_DESCRIPTIONS.supportEmail),
  supportUrl: z.string().nullable().describe(FIELD_DESCRIPTIONS.supportUrl),
  termsUrl: z.string().nullable().describe(FIELD_DESCRIPTIONS.termsUrl),
  privacyUrl: z.string().nullable().describe(FIELD_DESCRIPTIONS.privacyUrl),
  showPoweredBy: z.boolean().nullable().describe(FIELD_DESCRIPTIONS.showPoweredBy),
})
export type BrandingSettings = z.infer<typeof BrandingSettings>

export const Branding = BrandingSettings.extend({
  productName: z.string().describe(FIELD_DESCRIPTIONS.productName),
  primaryColor: z.string().describe(FIELD_DESCRIPTIONS.primaryColor),
  accentColor: z.string().describe(FIELD_DESCRIPTIONS.accentColor),
  showPoweredBy: z.boolean().describe(FIELD_DESCRIPTIONS.showPoweredBy),
  domain: z.string().nullable().describe('Host name of this brand, or null if there is none.'),
  domainStatus: z
    .enum(['pending', 'verified'])
    .nullable()
    .describe('Status of the domain, or null if there is no domain. Only a `verified` domain displays the brand.'),
  source: z.enum(['default', 'provider', 'tenant']).describe('Most specific level that has branding settings.'),
}).meta({ id: 'Branding' })
export type Branding = z.infer<typeof Branding>

function isHttps(url: string): boolean {
  return url.length <= MAX_URL_LENGTH && /^https:\/\/[^/\s]\S*$/i.test(url) && URL.canParse(url)
}

const HttpsUrl = z
  .string()
  .refine(isHttps, { error: `must be an https:// URL of at most ${MAX_URL_LENGTH} characters` })
const ImageUrl = z.string().refine((url) => isHttps(url) || (url.length <= LOGO_LIMIT_BYTES && DATA_IMAGE.test(url)), {
  error: `must be an https:// URL, or a base64 data:image URL of at most ${LOGO_LIMIT_BYTES} characters`,
})
const Color = z
  .string()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'must be a color such as #1d4ed8')
const HostName = z.string().max(253).toLowerCase().regex(HOST_NAME, 'must be a host name such as voice.example.com')

const SINGLE_OWNER_RULE = { error: 'must not be combined with tenantId', path: ['providerId'] }

function hasSingleOwner(fields: { tenantId?: string | null | undefined; providerId?: string | null | undefined }) {
  return typeof fields.tenantId !== 'string' || typeof fields.providerId !== 'string'
}

export const UpdateBrandingBody = z
  .object({
    tenantId: id()
      .nullable()
      .optional()
      .describe('ID of the tenant (its `accountSid`). Defaults to your own tenant or provider.'),
    providerId: id().nullable().optional().describe('ID of the provider. Must not be combined with `tenantId`.'),
    productName: z.string().trim().min(1).max(100).nullable().optional().describe(FIELD_DESCRIPTIONS.productName),
    logoUrl: ImageUrl.nullable().optional().describe(FIELD_DESCRIPTIONS.logoUrl),
    faviconUrl: ImageUrl.nullable().optional().describe(FIELD_DESCRIPTIONS.faviconUrl),
    primaryColor: Color.nullable().optional().describe(FIELD_DESCRIPTIONS.primaryColor),
    accentColor: Color.nullable().optional().describe(FIELD_DESCRIPTIONS.accentColor),
    supportEmail: z
      .email('must be an e-mail address')
      .max(254)
      .nullable()
      .optional()
      .describe(FIELD_DESCRIPTIONS.supportEmail),
    supportUrl: HttpsUrl.nullable().optional().describe(FIELD_DESCRIPTIONS.supportUrl),
    termsUrl: HttpsUrl.nullable().optional().describe(FIELD_DESCRIPTIONS.termsUrl),
    privacyUrl: HttpsUrl.nullable().optional().describe(FIELD_DESCRIPTIONS.privacyUrl),
    showPoweredBy: z.boolean().nullable().optional().describe(FIELD_DESCRIPTIONS.showPoweredBy),
    domain: HostName.nullable().optional().describe(FIELD_DESCRIPTIONS.domain),
  })
  .refine(hasSingleOwner, SINGLE_OWNER_RULE)
  .meta({
    id: 'UpdateBrandingBody',
    description: 'Omitted fields do not change; null inherits the value from the next level up.',
  })
export type UpdateBrandingBody = z.output<typeof UpdateBrandingBody>

export const BrandDomain = defineObject('BrandDomain', {
  domain: z.string().nullable().describe('Domain of the tenant or provider, or null if there is none.'),
  status: z.enum(['pending', 'verified']).nullable().describe('Status of the domain, or null if there is no domain.'),
  verifiedBy: z
    .enum(['record', 'operator', 'earlier'])
    .nullable()
    .describe(
      'How the domain was verified, or null if it is not verified. `earlier` means that the domain was set before verification was ' +
        'required.',
    ),
  record: z
    .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
    .nullable()
    .describe('DNS record that verifies the domain. Its value is unique to this owner and domain.'),
  problem: z
    .enum(['record_missing', 'record_differs', 'lookup_failed', 'domain_taken'])
    .nullable()
    .describe(
      'Reason why the domain is not verified. `lookup_failed`: no name server responded. `domain_taken`: the ' +
        'operator assigned the domain to another brand.',
    ),
})
export type BrandDomain = z.infer<typeof BrandDomain>

const ownerFields = {
  tenantId: UpdateBrandingBody.shape.tenantId,
  providerId: UpdateBrandingBody.shape.providerId,
}

export const VerifyBrandDomainBody = z
  .object({
    ...ownerFields,
    vouch: z
      .boolean()
      .default(false)
      .describe('Whether to verify the domain as the operator (`platform_admin`), without a DNS record.'),
  })
  .refine(hasSingleOwner, SINGLE_OWNER_RULE)
  .meta({ id: 'VerifyBrandDomainBody' })
export type VerifyBrandDomainBody = z.output<typeof VerifyBrandDomainBody>

const TAG = 'Tenancy'

const OwnerQuery = z
  .object({
    tenantId: id().optional().describe('ID of the tenant (its `accountSid`).'),
    providerId: id().optional().describe('ID of the provider. Must not be combined with `tenantId`.'),
  })
  .refine(hasSingleOwner, SINGLE_OWNER_RULE)

export const getBranding = defineOperation({
  name: 'getBranding',
  route: 'GET /api/branding',
  tag: TAG,
  summary: 'Get the branding',
  description:
    'Returns the branding of a tenant or provider, or of the requested host name. Settings that a tenant does ' +
    'not have are inherited from its provider, and then from the product. Unknown IDs return the default branding.',
  access: 'public',
  workspace: 'none',
  query: OwnerQuery,
  result: Branding,
})

export const updateBranding = defineOperation({
  name: 'updateBranding',
  route: 'PATCH /api/branding',
  tag: TAG,
  summary: 'Update the branding',
  description: 'Updates the branding of a tenant or provider. Defaults to your own. Returns the resulting branding.',
  access: 'account',
  workspace: 'none',
  body: UpdateBrandingBody,
  result: Branding,
  errors: ['not_found', 'id_taken'],
})

export const getBrandDomain = defineOperation({
  name: 'getBrandDomain',
  route: 'GET /api/branding/domain',
  tag: TAG,
  summary: 'Get the domain of a brand',
  description:
    'Returns the domain of a tenant or provider and the DNS record that verifies it. Defaults to your own domain.',
  access: 'account',
  workspace: 'none',
  query: OwnerQuery,
  result: BrandDomain,
  errors: ['not_found'],
})

export const verifyBrandDomain = defineOperation({
  name: 'verifyBrandDomain',
  route: 'POST /api/branding/domain/verify',
  tag: TAG,
  summary: 'Verify the domain of a brand',
  description:
    'Looks up the DNS record of the domain. A verified domain displays only this brand. If another owner claimed ' +
    'the domain without a record, its status returns to `pending`. If the record is missing, the response contains the problem.',
  access: 'account',
  workspace: 'none',
  body: VerifyBrandDomainBody,
  result: BrandDomain,
  errors: ['not_found'],
})
