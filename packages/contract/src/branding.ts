import { z } from 'zod'
import { id } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Branding: what the product is called and looks like towards the customers of a tenant or provider. */

const LOGO_LIMIT_BYTES = 64 * 1024
const MAX_URL_LENGTH = 2048
const DATA_IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml|x-icon|vnd\.microsoft\.icon);base64,[A-Za-z0-9+/]+={0,2}$/
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** What a tenant or provider may set; null takes the value of the level above. */
export const BrandingSettings = z.object({
  productName: z.string().nullable(),
  logoUrl: z.string().nullable().meta({ description: 'An https address or a `data:image/…` URL.' }),
  faviconUrl: z.string().nullable().meta({ description: 'An https address or a `data:image/…` URL.' }),
  primaryColor: z.string().nullable().meta({ description: '`#rrggbb`' }),
  accentColor: z.string().nullable().meta({ description: '`#rrggbb`' }),
  supportEmail: z.string().nullable(),
  supportUrl: z.string().nullable(),
  termsUrl: z.string().nullable(),
  privacyUrl: z.string().nullable(),
  showPoweredBy: z.boolean().nullable(),
})
export type BrandingSettings = z.infer<typeof BrandingSettings>

export const Branding = BrandingSettings.extend({
  productName: z.string(),
  primaryColor: z.string(),
  accentColor: z.string(),
  showPoweredBy: z.boolean(),
  domain: z.string().nullable().meta({ description: 'Host name that shows this brand.' }),
  source: z.enum(['default', 'provider', 'tenant']).meta({ description: 'The most special level that set anything.' }),
}).meta({ id: 'Branding' })
export type Branding = z.infer<typeof Branding>

function isHttps(url: string): boolean {
  return url.length <= MAX_URL_LENGTH && /^https:\/\/[^/\s]\S*$/i.test(url) && URL.canParse(url)
}

const HttpsUrl = z
  .string()
  .refine(isHttps, { error: `must be an https:// address of at most ${MAX_URL_LENGTH} characters` })
const ImageUrl = z.string().refine((url) => isHttps(url) || (url.length <= LOGO_LIMIT_BYTES && DATA_IMAGE.test(url)), {
  error: `must be an https:// address, or a data:image URL in base64 of at most ${LOGO_LIMIT_BYTES} characters`,
})
const Color = z
  .string()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #1d4ed8')
const HostName = z.string().max(253).toLowerCase().regex(HOST_NAME, 'must be a host name such as voice.example.com')

const ONE_OWNER = { error: 'must not be given together with tenantId', path: ['providerId'] }

function namesOneOwner(given: { tenantId?: string | null | undefined; providerId?: string | null | undefined }) {
  return typeof given.tenantId !== 'string' || typeof given.providerId !== 'string'
}

export const UpdateBrandingBody = z
  .object({
    tenantId: id().nullable().optional(),
    providerId: id().nullable().optional(),
    productName: z.string().trim().min(1).max(100).nullable().optional(),
    logoUrl: ImageUrl.nullable().optional(),
    faviconUrl: ImageUrl.nullable().optional(),
    primaryColor: Color.nullable().optional(),
    accentColor: Color.nullable().optional(),
    supportEmail: z.email('must be an e-mail address').max(254).nullable().optional(),
    supportUrl: HttpsUrl.nullable().optional(),
    termsUrl: HttpsUrl.nullable().optional(),
    privacyUrl: HttpsUrl.nullable().optional(),
    showPoweredBy: z.boolean().nullable().optional(),
    domain: HostName.nullable().optional(),
  })
  .refine(namesOneOwner, ONE_OWNER)
  .meta({
    id: 'UpdateBrandingBody',
    description: 'Absent fields stay as they are, null takes the value of the level above.',
  })
export type UpdateBrandingBody = z.output<typeof UpdateBrandingBody>

const TAG = 'Tenancy'

export const getBranding = defineOperation({
  name: 'getBranding',
  method: 'GET',
  path: '/api/branding',
  tag: TAG,
  summary: 'Read the branding',
  description:
    'The brand of a tenant or provider; without either, that of the host name that was asked. What a tenant has not set comes ' +
    'from its provider, and then from the product. An id that nobody has answers the default.',
  access: 'public',
  workspace: 'none',
  query: z
    .object({
      tenantId: id().optional(),
      providerId: id().optional().meta({ description: 'Not together with `tenantId`.' }),
    })
    .refine(namesOneOwner, ONE_OWNER),
  status: 200,
  result: Branding,
})

export const updateBranding = defineOperation({
  name: 'updateBranding',
  method: 'PATCH',
  path: '/api/branding',
  tag: TAG,
  summary: 'Change the branding',
  description:
    "Of the tenant or provider that is named, else of the caller's own. Answers the brand as it is shown from now on.",
  access: 'account',
  workspace: 'none',
  body: UpdateBrandingBody,
  status: 200,
  result: Branding,
  errors: ['not_found', 'id_taken'],
})
