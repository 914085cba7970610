import { expect, test } from 'vitest'
import { ACME, DEFAULT_RESELLER, MAIN, OTHER, openTenancy } from '../members/tenancy-test-kit.ts'

const NO_ROLE = '403 forbidden'
const EVERYBODY = ['owner', 'house', 'reseller', 'boss', 'rival', 'admin', 'stranger'] as const
const DEFAULT = {
  productName: 'Parley',
  logoUrl: null,
  faviconUrl: null,
  primaryColor: '#1d4ed8',
  accentColor: '#0f766e',
  supportEmail: null,
  supportUrl: null,
  termsUrl: null,
  privacyUrl: null,
  showPoweredBy: true,
  domain: null,
  domainStatus: null,
  source: 'default',
}

test('a brand is changed by those who administer its owner', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  const nobody = { admin: NO_ROLE, stranger: NO_ROLE }
  const missing = '404 not_found'
  const change = (body: object) => tenancy.answersOf(EVERYBODY, 'PATCH /api/branding', { productName: 'X', ...body })
  const mine = { owner: '200', ...nobody }
  expect(await change({ tenantId: OTHER })).toEqual({
    ...mine,
    reseller: '200',
    rival: '200',
    house: missing,
    boss: missing,
  })
  expect(await change({ providerId: ACME })).toEqual({
    ...mine,
    reseller: '200',
    house: missing,
    boss: missing,
    rival: missing,
  })
  expect(await change({ providerId: 'provider_x' })).toEqual({
    ...nobody,
    owner: missing,
    house: missing,
    reseller: missing,
    boss: missing,
    rival: missing,
  })
  expect(await change({})).toEqual({
    ...nobody,
    owner: '400 invalid_request',
    house: '200',
    reseller: '200',
    boss: '200',
    rival: '200',
  })
  tenancy.actAs('owner')
  expect((await send('PATCH /api/branding', { tenantId: MAIN, providerId: ACME })).body.details).toMatchObject([
    { path: 'providerId' },
  ])
  expect((await send('PATCH /api/branding', { productName: 'Y' }, { 'x-tenant-id': MAIN })).body.source).toBe('tenant')
})

test('a public page is shown the brand of an id or of its host', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  const at = async (host: string) => (await send('GET /api/branding', undefined, { host })).body
  expect((await send('GET /api/branding')).body).toEqual(DEFAULT)
  tenancy.actAs('reseller')
  const provider = await send('PATCH /api/branding', {
    productName: 'Acme Voice',
    primaryColor: '#FF0000',
    showPoweredBy: false,
    domain: 'Voice.Acme.example',
  })
  const acme = {
    ...DEFAULT,
    productName: 'Acme Voice',
    primaryColor: '#ff0000',
    showPoweredBy: false,
    domain: 'voice.acme.example',
    domainStatus: 'pending',
    source: 'provider',
  }
  expect(provider).toMatchObject({ status: 200, body: acme })
  expect(await at('voice.acme.example')).toEqual(DEFAULT)
  await tenancy.vouch({ providerId: ACME })
  acme.domainStatus = 'verified'
  expect(await at('voice.acme.example:8080')).toEqual(acme)
  expect(await at('VOICE.acme.example.')).toEqual(acme)
  expect(await at('other.example')).toEqual(DEFAULT)
  expect((await send(`GET /api/branding?tenantId=${OTHER}`)).body).toEqual(acme)
  expect((await send(`GET /api/branding?tenantId=${MAIN}`)).body).toEqual(DEFAULT)

  tenancy.actAs('rival')
  const logoUrl = 'data:image/png;base64,iVBORw0KGgo='
  const tenant = await send('PATCH /api/branding', { productName: 'Other', logoUrl, domain: 'calls.other.example' })
  const other = { ...acme, productName: 'Other', logoUrl, domain: 'calls.other.example', source: 'tenant' }
  expect(tenant.body).toEqual({ ...other, domainStatus: 'pending' })
  await tenancy.vouch({ tenantId: OTHER })
  expect(await at('calls.other.example')).toEqual(other)
  expect((await send(`GET /api/branding?tenantId=${OTHER}`)).body).toEqual(other)
  expect((await send(`GET /api/branding?providerId=${ACME}`)).body).toEqual(acme)
  for (const query of ['tenantId=x', 'providerId=x', `providerId=${DEFAULT_RESELLER}`]) {
    expect((await send(`GET /api/branding?${query}`)).body, query).toEqual(DEFAULT)
  }
  expect((await send(`GET /api/branding?tenantId=x&providerId=x`)).status).toBe(400)

  expect((await send('PATCH /api/branding', { logoUrl: null })).body.logoUrl).toBeNull()
  const cleared = await send('PATCH /api/branding', { productName: null, domain: null })
  expect(cleared.body).toEqual(acme)
})

test('nobody but a platform_admin claims the host of the installation', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  tenancy.actAs('rival')
  expect((await send('PATCH /api/branding', { domain: 'voice.example.com' })).body.code).toBe('id_taken')
  tenancy.actAs('owner')
  expect((await send('PATCH /api/branding', { tenantId: MAIN, domain: 'voice.example.com' })).status).toBe(200)
})

const BAD_VALUES = [
  ['logoUrl', 'http://example.com/logo.png'],
  ['logoUrl', 'data:text/html;base64,PGI+'],
  ['logoUrl', `data:image/png;base64,${'A'.repeat(64 * 1024)}`],
  ['faviconUrl', 'data:image/svg+xml,<svg/>'],
  ['supportUrl', 'data:image/png;base64,AAAA'],
  ['termsUrl', 'javascript:alert(1)'],
  ['privacyUrl', 'https://'],
  ['privacyUrl', `https://example.com/${'x'.repeat(2048)}`],
  ['primaryColor', 'red'],
  ['accentColor', '#12345g'],
  ['supportEmail', 'nobody'],
  ['productName', ' '],
  ['domain', 'localhost'],
  ['domain', '127.0.0.1'],
  ['domain', 'https://example.com'],
  ['domain', `${'a'.repeat(64)}.example.com`],
  ['showPoweredBy', 'no'],
] as const

test('a value that cannot be shown is refused by its name', async () => {
  await using tenancy = await openTenancy()
  tenancy.actAs('boss')
  for (const [name, value] of BAD_VALUES) {
    const { status, body } = await tenancy.send('PATCH /api/branding', { [name]: value })
    const paths = body.details?.map((detail: { path: string }) => detail.path)
    expect([status, paths], `${name}: ${value.slice(0, 60)}`).toEqual([400, [name]])
  }
})
