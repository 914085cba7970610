import { z } from 'zod'
import { id } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Branding: what the product is called and looks like towards the customers of a tenant or provider. */

const LOGO_LIMIT_BYTES = 64 * 1024
const MAX_URL_LENGTH = 2048
const DATA_IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml|x-icon|vnd\.microsoft\.icon);base64,[A-Za-z0-9+/]+={0,2}$/
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const MEANING = {
  productName: { description: 'What the product is called.' },
  logoUrl: { description: 'Logo: an https address, or a `data:image/…` URL in base64 of at most 65536 characters.' },
  faviconUrl: { description: 'Icon of the pages: as `logoUrl`.' },
  primaryColor: { description: 'Main colour, `#rrggbb`.' },
  accentColor: { description: 'Second colour, `#rrggbb`.' },
  supportEmail: { description: 'Where customers write for help.' },
  supportUrl: { description: 'Page with help, an https address.' },
  termsUrl: { description: 'Page with the terms of use, an https address.' },
  privacyUrl: { description: 'Page about privacy, an https address.' },
  showPoweredBy: { description: 'Whether pages name the software beside the brand.' },
  domain: { description: 'Host name that shows this brand; each shows one brand only.' },
}

/** What a tenant or provider may set; null takes the value of the level above. */
export const BrandingSettings = z.object({
  productName: z.string().nullable().meta(MEANING.productName),
  logoUrl: z.string().nullable().meta(MEANING.logoUrl),
  faviconUrl: z.string().nullable().meta(MEANING.faviconUrl),
  primaryColor: z.string().nullable().meta(MEANING.primaryColor),
  accentColor: z.string().nullable().meta(MEANING.accentColor),
  supportEmail: z.string().nullable().meta(MEANING.supportEmail),
  supportUrl: z.string().nullable().meta(MEANING.supportUrl),
  termsUrl: z.string().nullable().meta(MEANING.termsUrl),
  privacyUrl: z.string().nullable().meta(MEANING.privacyUrl),
  showPoweredBy: z.boolean().nullable().meta(MEANING.showPoweredBy),
})
export type BrandingSettings = z.infer<typeof BrandingSettings>

export const Branding = BrandingSettings.extend({
  productName: z.string().meta(MEANING.productName),
  primaryColor: z.string().meta(MEANING.primaryColor),
  accentColor: z.string().meta(MEANING.accentColor),
  showPoweredBy: z.boolean().meta(MEANING.showPoweredBy),
  domain: z.string().nullable().meta({ description: 'Host name that shows this brand; null for none.' }),
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
    tenantId: id().nullable().optional().meta({
      description:
        "Tenant whose brand it is (its `accountSid`); the caller's own tenant or provider when none is named.",
    }),
    providerId: id()
      .nullable()
      .optional()
      .meta({ description: 'Provider whose brand it is. Not together with `tenantId`.' }),
    productName: z.string().trim().min(1).max(100).nullable().optional().meta(MEANING.productName),
    logoUrl: ImageUrl.nullable().optional().meta(MEANING.logoUrl),
    faviconUrl: ImageUrl.nullable().optional().meta(MEANING.faviconUrl),
    primaryColor: Color.nullable().optional().meta(MEANING.primaryColor),
    accentColor: Color.nullable().optional().meta(MEANING.accentColor),
    supportEmail: z.email('must be an e-mail address').max(254).nullable().optional().meta(MEANING.supportEmail),
    supportUrl: HttpsUrl.nullable().optional().meta(MEANING.supportUrl),
    termsUrl: HttpsUrl.nullable().optional().meta(MEANING.termsUrl),
    privacyUrl: HttpsUrl.nullable().optional().meta(MEANING.privacyUrl),
    showPoweredBy: z.boolean().nullable().optional().meta(MEANING.showPoweredBy),
    domain: HostName.nullable().optional().meta(MEANING.domain),
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
      tenantId: id().optional().meta({ description: 'Tenant whose brand is wanted, by its `accountSid`.' }),
      providerId: id()
        .optional()
        .meta({ description: 'Provider whose brand is wanted. Not together with `tenantId`.' }),
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
