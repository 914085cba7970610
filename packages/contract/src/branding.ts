import { z } from 'zod'
import { id } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Branding: what the product is called and looks like towards the customers of a tenant or provider. */

const LOGO_LIMIT_BYTES = 64 * 1024
const MAX_URL_LENGTH = 2048
const DATA_IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml|x-icon|vnd\.microsoft\.icon);base64,[A-Za-z0-9+/]+={0,2}$/
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const FIELD_DESCRIPTIONS = {
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
  domain: { description: 'Host name that shows this brand once it is verified; see `verifyBrandDomain`.' },
}

/** What a tenant or provider may set; null takes the value of the level above. */
export const BrandingSettings = z.object({
  productName: z.string().nullable().meta(FIELD_DESCRIPTIONS.productName),
  logoUrl: z.string().nullable().meta(FIELD_DESCRIPTIONS.logoUrl),
  faviconUrl: z.string().nullable().meta(FIELD_DESCRIPTIONS.faviconUrl),
  primaryColor: z.string().nullable().meta(FIELD_DESCRIPTIONS.primaryColor),
  accentColor: z.string().nullable().meta(FIELD_DESCRIPTIONS.accentColor),
  supportEmail: z.string().nullable().meta(FIELD_DESCRIPTIONS.supportEmail),
  supportUrl: z.string().nullable().meta(FIELD_DESCRIPTIONS.supportUrl),
  termsUrl: z.string().nullable().meta(FIELD_DESCRIPTIONS.termsUrl),
  privacyUrl: z.string().nullable().meta(FIELD_DESCRIPTIONS.privacyUrl),
  showPoweredBy: z.boolean().nullable().meta(FIELD_DESCRIPTIONS.showPoweredBy),
})
export type BrandingSettings = z.infer<typeof BrandingSettings>

export const Branding = BrandingSettings.extend({
  productName: z.string().meta(FIELD_DESCRIPTIONS.productName),
  primaryColor: z.string().meta(FIELD_DESCRIPTIONS.primaryColor),
  accentColor: z.string().meta(FIELD_DESCRIPTIONS.accentColor),
  showPoweredBy: z.boolean().meta(FIELD_DESCRIPTIONS.showPoweredBy),
  domain: z.string().nullable().meta({ description: 'Host name of this brand; null for none.' }),
  domainStatus: z
    .enum(['pending', 'verified'])
    .nullable()
    .meta({ description: 'Only a `verified` domain shows the brand; null without a domain.' }),
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

function hasSingleOwner(given: { tenantId?: string | null | undefined; providerId?: string | null | undefined }) {
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
    productName: z.string().trim().min(1).max(100).nullable().optional().meta(FIELD_DESCRIPTIONS.productName),
    logoUrl: ImageUrl.nullable().optional().meta(FIELD_DESCRIPTIONS.logoUrl),
    faviconUrl: ImageUrl.nullable().optional().meta(FIELD_DESCRIPTIONS.faviconUrl),
    primaryColor: Color.nullable().optional().meta(FIELD_DESCRIPTIONS.primaryColor),
    accentColor: Color.nullable().optional().meta(FIELD_DESCRIPTIONS.accentColor),
    supportEmail: z
      .email('must be an e-mail address')
      .max(254)
      .nullable()
      .optional()
      .meta(FIELD_DESCRIPTIONS.supportEmail),
    supportUrl: HttpsUrl.nullable().optional().meta(FIELD_DESCRIPTIONS.supportUrl),
    termsUrl: HttpsUrl.nullable().optional().meta(FIELD_DESCRIPTIONS.termsUrl),
    privacyUrl: HttpsUrl.nullable().optional().meta(FIELD_DESCRIPTIONS.privacyUrl),
    showPoweredBy: z.boolean().nullable().optional().meta(FIELD_DESCRIPTIONS.showPoweredBy),
    domain: HostName.nullable().optional().meta(FIELD_DESCRIPTIONS.domain),
  })
  .refine(hasSingleOwner, ONE_OWNER)
  .meta({
    id: 'UpdateBrandingBody',
    description: 'Absent fields stay as they are, null takes the value of the level above.',
  })
export type UpdateBrandingBody = z.output<typeof UpdateBrandingBody>

export const BrandDomain = z
  .object({
    domain: z.string().nullable().meta({ description: 'The own domain of the tenant or provider; null for none.' }),
    status: z.enum(['pending', 'verified']).nullable().meta({ description: 'Null without a domain.' }),
    verifiedBy: z.enum(['record', 'operator', 'earlier']).nullable().meta({
      description: '`earlier`: the domain was set before domains had to be verified. Null while it is not verified.',
    }),
    record: z
      .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .nullable()
      .meta({ description: 'The DNS record that proves the domain; the value belongs to this owner and domain.' }),
    problem: z
      .enum(['record_missing', 'record_differs', 'lookup_failed', 'domain_taken'])
      .nullable()
      .meta({
        description:
          'Why the check did not verify the domain. `lookup_failed`: no name server answered. `domain_taken`: the ' +
          'operator has assigned the domain to another brand.',
      }),
  })
  .meta({ id: 'BrandDomain' })
export type BrandDomain = z.infer<typeof BrandDomain>

const owner = {
  tenantId: UpdateBrandingBody.shape.tenantId,
  providerId: UpdateBrandingBody.shape.providerId,
}

export const VerifyBrandDomainBody = z
  .object({
    ...owner,
    vouch: z
      .boolean()
      .default(false)
      .meta({ description: 'Verifies the domain without a record, as the operator (`platform_admin`).' }),
  })
  .refine(hasSingleOwner, ONE_OWNER)
  .meta({ id: 'VerifyBrandDomainBody' })
export type VerifyBrandDomainBody = z.output<typeof VerifyBrandDomainBody>

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
    .refine(hasSingleOwner, ONE_OWNER),
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

export const getBrandDomain = defineOperation({
  name: 'getBrandDomain',
  method: 'GET',
  path: '/api/branding/domain',
  tag: TAG,
  summary: 'Read the domain of a brand',
  description:
    "The domain of the tenant or provider that is named, else of the caller's own, and the record that proves it.",
  access: 'account',
  workspace: 'none',
  query: z
    .object({
      tenantId: id().optional().meta({ description: 'Tenant whose domain it is, by its `accountSid`.' }),
      providerId: id().optional().meta({ description: 'Provider whose domain it is. Not together with `tenantId`.' }),
    })
    .refine(hasSingleOwner, ONE_OWNER),
  status: 200,
  result: BrandDomain,
  errors: ['not_found'],
})

export const verifyBrandDomain = defineOperation({
  name: 'verifyBrandDomain',
  method: 'POST',
  path: '/api/branding/domain/verify',
  tag: TAG,
  summary: 'Verify the domain of a brand',
  description:
    'Looks the record of the domain up in the DNS. A domain that is found verified shows this brand and no other: one ' +
    'that claimed it without a record of its own becomes `pending` again. Without the record the answer says what is wrong.',
  access: 'account',
  workspace: 'none',
  body: VerifyBrandDomainBody,
  status: 200,
  result: BrandDomain,
  errors: ['not_found'],
})
