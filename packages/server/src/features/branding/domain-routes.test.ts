import { expect, test } from 'vitest'
import { ACME, MAIN, OTHER, openTenancy } from '../members/tenancy-test-kit.ts'

const DOMAIN = 'voice.harbour.example'
const RECORD = `_parley-verification.${DOMAIN}`
const VERIFY = 'POST /api/branding/domain/verify'

/** Two tenants that claim the same domain. */
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

test('a domain is exclusive only for who proves it by a DNS record, whoever claimed it first', async () => {
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

  // What is verified stays so over other edits, and not over another domain.
  claims.actAs('rival')
  expect((await claims.send('PATCH /api/branding', { productName: 'Rival' })).body.domainStatus).toBe('verified')
  expect((await claims.send('PATCH /api/branding', { domain: 'other.example' })).body.domainStatus).toBe('pending')
  expect((await claims.send('PATCH /api/branding', { domain: DOMAIN })).body.domainStatus).toBe('pending')
  expect(await claims.shown()).toBe('Parley')
})

test('the operator can verify without a record, and no record outweighs that', async () => {
  await using claims = await openClaims()
  claims.actAs('boss')
  expect((await claims.send(VERIFY, { vouch: true })).body.code).toBe('forbidden')
  claims.txtRecords.set(RECORD, [await claims.valueFor('rival')])
  await claims.verify('rival')
  expect(await claims.vouch({ tenantId: MAIN })).toMatchObject({ status: 'verified', verifiedBy: 'operator' })
  expect(await claims.shown()).toBe('boss')
  expect(await claims.verify('rival')).toMatchObject({ status: 'pending', problem: 'domain_taken' })
  expect(await claims.vouch({ tenantId: OTHER })).toMatchObject({ status: 'verified' })
  expect(await claims.read('boss')).toMatchObject({ status: 'pending' })
})

test('only those who administer a brand see and verify its domain, a few times a minute', async () => {
  await using claims = await openClaims()
  const missing = '404 not_found'
  const outside = { stranger: '403 forbidden', boss: missing }
  const people = ['stranger', 'boss', 'rival', 'reseller'] as const
  for (const [line, body] of [
    [`GET /api/branding/domain?tenantId=${OTHER}`, undefined],
    [VERIFY, { tenantId: OTHER }],
  ] as const) {
    expect(await claims.answersOf(people, line, body)).toEqual({ ...outside, rival: '200', reseller: '200' })
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
