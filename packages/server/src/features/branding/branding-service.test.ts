import { expect, test } from 'vitest'
import { ACME, DEFAULT_RESELLER, MAIN_TENANT_SID, OTHER_TENANT_SID, openTenancy } from '../members/tenancy-test-kit.ts'

const NO_ROLE = '403 forbidden'
const EVERYBODY = ['owner', 'house', 'reseller', 'boss', 'rival', 'admin', 'outsider'] as const
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

test('only administrators of the owner can change a brand', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  const nobody = { admin: NO_ROLE, outsider: NO_ROLE }
  const missing = '404 not_found'
  const change = (body: object) =>
    tenancy.collectStatuses(EVERYBODY, 'PATCH /api/branding', { productName: 'X', ...body })
  const mine = { owner: '200', ...nobody }
  expect(await change({ tenantId: OTHER_TENANT_SID })).toEqual({
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
  expect(
    (await send('PATCH /api/branding', { tenantId: MAIN_TENANT_SID, providerId: ACME })).body.details,
  ).toMatchObject([{ path: 'providerId' }])
  expect(
    (await send('PATCH /api/branding', { productName: 'Y' }, { 'x-tenant-id': MAIN_TENANT_SID })).body.source,
  ).toBe('tenant')
})

test('a public page shows the brand of an id or of its host', async () => {
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
  expect((await send(`GET /api/branding?tenantId=${OTHER_TENANT_SID}`)).body).toEqual(acme)
  expect((await send(`GET /api/branding?tenantId=${MAIN_TENANT_SID}`)).body).toEqual(DEFAULT)

  tenancy.actAs('rival')
  const logoUrl = 'data:image/png;base64,iVBORw0KGgo='
  const tenant = await send('PATCH /api/branding', { productName: 'Other', logoUrl, domain: 'calls.other.example' })
  const other = { ...acme, productName: 'Other', logoUrl, domain: 'calls.other.example', source: 'tenant' }
  expect(tenant.body).toEqual({ ...other, domainStatus: 'pending' })
  await tenancy.vouch({ tenantId: OTHER_TENANT_SID })
  expect(await at('calls.other.example')).toEqual(other)
  expect((await send(`GET /api/branding?tenantId=${OTHER_TENANT_SID}`)).body).toEqual(other)
  expect((await send(`GET /api/branding?providerId=${ACME}`)).body).toEqual(acme)
  for (const query of ['tenantId=x', 'providerId=x', `providerId=${DEFAULT_RESELLER}`]) {
    expect((await send(`GET /api/branding?${query}`)).body, query).toEqual(DEFAULT)
  }
  expect((await send(`GET /api/branding?tenantId=x&providerId=x`)).status).toBe(400)

  expect((await send('PATCH /api/branding', { logoUrl: null })).body.logoUrl).toBeNull()
  const cleared = await send('PATCH /api/branding', { productName: null, domain: null })
  expect(cleared.body).toEqual(acme)
})

test('only a platform_admin can claim the host of the installation', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  tenancy.actAs('rival')
  expect((await send('PATCH /api/branding', { domain: 'voice.example.com' })).body.code).toBe('id_taken')
  tenancy.actAs('owner')
  expect((await send('PATCH /api/branding', { tenantId: MAIN_TENANT_SID, domain: 'voice.example.com' })).status).toBe(
    200,
  )
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

test('rejects an invalid value by its field name', async () => {
  await using tenancy = await openTenancy()
  tenancy.actAs('boss')
  for (const [name, value] of BAD_VALUES) {
    const { status, body } = await tenancy.send('PATCH /api/branding', { [name]: value })
    const paths = body.details?.map((detail: { path: string }) => detail.path)
    expect([status, paths], `${name}: ${value.slice(0, 60)}`).toEqual([400, [name]])
  }
})

const DOMAIN = 'voice.harbour.example'
const RECORD = `_parley-verification.${DOMAIN}`
const VERIFY = 'POST /api/branding/domain/verify'

/** Creates two tenants that claim the same domain. */
async function openClaims() {
  const tenancy = await openTenancy()
  const { send } = tenancy
  for (const name of ['boss', 'rival'] as const) {
    tenancy.actAs(name)
    expect((await send('PATCH /api/branding', { domain: DOMAIN, productName: name })).body.domainStatus).toBe('pending')
  }
  const read = async (name: 'boss' | 'rival') => {
    tenancy.actAs(name)
    return (await send('GET /api/branding/domain')).body
  }
  const verify = async (name: 'boss' | 'rival') => {
    tenancy.actAs(name)
    return (await send(VERIFY, {})).body
  }
  const shown = async () => (await send('GET /api/branding', undefined, { host: DOMAIN })).body.productName
  return Object.assign(tenancy, {
    read,
    verify,
    shown,
    valueFor: async (name: 'boss' | 'rival') => (await read(name)).record.value,
  })
}

test('a domain belongs to the owner that proves it by a DNS record, regardless of who claimed it first', async () => {
  await using claims = await openClaims()
  const { txtRecords } = claims
  const values = { boss: await claims.valueFor('boss'), rival: await claims.valueFor('rival') }
  expect(values.boss).not.toBe(values.rival)
  const pending = {
    domain: DOMAIN,
    status: 'pending',
    verifiedBy: null,
    record: { type: 'TXT', name: RECORD, value: values.rival },
    problem: null,
  }
  expect(await claims.read('rival')).toEqual(pending)
  expect(await claims.verify('rival')).toEqual({ ...pending, problem: 'record_missing' })
  txtRecords.set(RECORD, null)
  expect(await claims.verify('rival')).toEqual({ ...pending, problem: 'lookup_failed' })
  txtRecords.set(RECORD, ['something else', values.boss])
  expect(await claims.verify('rival')).toEqual({ ...pending, problem: 'record_differs' })
  expect(await claims.shown()).toBe('Parley')
  expect(await claims.verify('boss')).toMatchObject({ status: 'verified', verifiedBy: 'record', problem: null })
  expect(await claims.shown()).toBe('boss')

  txtRecords.set(RECORD, [values.rival])
  expect(await claims.verify('rival')).toMatchObject({ status: 'verified' })
  expect(await claims.shown()).toBe('rival')
  expect(await claims.read('boss')).toMatchObject({ status: 'pending', verifiedBy: null })
  expect(await claims.verify('boss')).toMatchObject({ status: 'pending', problem: 'record_differs' })

  // Verification survives other edits, but not a domain change.
  claims.actAs('rival')
  expect((await claims.send('PATCH /api/branding', { productName: 'Rival' })).body.domainStatus).toBe('verified')
  expect((await claims.send('PATCH /api/branding', { domain: 'other.example' })).body.domainStatus).toBe('pending')
  expect((await claims.send('PATCH /api/branding', { domain: DOMAIN })).body.domainStatus).toBe('pending')
  expect(await claims.shown()).toBe('Parley')
})

test('the operator can verify without a record, and no record overrides that', async () => {
  await using claims = await openClaims()
  claims.actAs('boss')
  expect((await claims.send(VERIFY, { vouch: true })).body.code).toBe('forbidden')
  claims.txtRecords.set(RECORD, [await claims.valueFor('rival')])
  await claims.verify('rival')
  expect(await claims.vouch({ tenantId: MAIN_TENANT_SID })).toMatchObject({
    status: 'verified',
    verifiedBy: 'operator',
  })
  expect(await claims.shown()).toBe('boss')
  expect(await claims.verify('rival')).toMatchObject({ status: 'pending', problem: 'domain_taken' })
  expect(await claims.vouch({ tenantId: OTHER_TENANT_SID })).toMatchObject({ status: 'verified' })
  expect(await claims.read('boss')).toMatchObject({ status: 'pending' })
})

test('only administrators of a brand see and verify its domain, a few times a minute', async () => {
  await using claims = await openClaims()
  const missing = '404 not_found'
  const outside = { outsider: '403 forbidden', boss: missing }
  const people = ['outsider', 'boss', 'rival', 'reseller'] as const
  for (const [line, body] of [
    [`GET /api/branding/domain?tenantId=${OTHER_TENANT_SID}`, undefined],
    [VERIFY, { tenantId: OTHER_TENANT_SID }],
  ] as const) {
    expect(await claims.collectStatuses(people, line, body)).toEqual({ ...outside, rival: '200', reseller: '200' })
  }
  claims.actAs('reseller')
  expect((await claims.send(VERIFY, { providerId: ACME })).body).toEqual({
    domain: null,
    status: null,
    verifiedBy: null,
    record: null,
    problem: null,
  })
  for (let count = 0; count < 3; count += 1) await claims.verify('rival')
  expect((await claims.verify('rival')).code).toBe('rate_limited')
  await claims.time.advance(10_000)
  expect(await claims.verify('rival')).toMatchObject({ problem: 'record_missing' })
})
