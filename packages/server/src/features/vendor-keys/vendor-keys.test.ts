import { CreateProviderKeyBody, UpdateProviderKeyBody } from '@parley/contract/provider-key'
import { expect, test } from 'vitest'
import type { KeyedVendor } from './vendor-key-store.ts'
import {
  FOREIGN_TENANT,
  OTHER_RESELLER,
  openVendorKeys,
  PLATFORM_ADMIN,
  RESELLER,
  SISTER_TENANT,
  TENANT,
} from './vendor-key-test-kit.ts'

type Feature = Awaited<ReturnType<typeof openVendorKeys>>

const storeKey = (feature: Feature, owner: object, apiKey: string, more: object = {}) =>
  feature.service.create(PLATFORM_ADMIN, CreateProviderKeyBody.parse({ service: 'openai', apiKey, ...owner, ...more }))

const readKeys = async (feature: Feature, service: KeyedVendor = 'openai') =>
  await Promise.all([1, 2, 3, 4].map(async (id) => (await feature.keys.findKey(id, service))?.apiKey ?? null))

test('a workspace uses its own key before the keys of its tenant, its reseller and the operator', async () => {
  await using feature = await openVendorKeys({ openai: { apiKey: 'operator', baseUrl: 'http://10.0.0.1/v1' } })
  expect(await readKeys(feature)).toEqual(['operator', 'operator', 'operator', 'operator'])
  const resellerKey = await storeKey(feature, { providerId: RESELLER }, 'of-provider')
  expect(await readKeys(feature)).toEqual(['of-provider', 'of-provider', 'of-provider', 'operator'])
  const tenantKey = await storeKey(feature, { tenantId: TENANT }, 'of-tenant')
  expect(await readKeys(feature)).toEqual(['of-tenant', 'of-tenant', 'of-provider', 'operator'])
  const workspaceKey = await storeKey(feature, { workspaceId: 1 }, 'of-workspace')
  expect(await readKeys(feature)).toEqual(['of-workspace', 'of-tenant', 'of-provider', 'operator'])
  await storeKey(feature, { providerId: OTHER_RESELLER }, 'of-others')
  await storeKey(feature, { tenantId: FOREIGN_TENANT }, 'cartesia', { service: 'cartesia' })
  expect(await readKeys(feature)).toEqual(['of-workspace', 'of-tenant', 'of-provider', 'of-others'])
  expect(await readKeys(feature, 'cartesia')).toEqual([null, null, null, 'cartesia'])
  expect(await readKeys(feature, 'elevenlabs')).toEqual([null, null, null, null])

  await feature.service.remove(PLATFORM_ADMIN, tenantKey.providerKeyId)
  expect(await readKeys(feature)).toEqual(['of-workspace', 'of-provider', 'of-provider', 'of-others'])
  await feature.service.remove(PLATFORM_ADMIN, workspaceKey.providerKeyId)
  await feature.service.remove(PLATFORM_ADMIN, resellerKey.providerKeyId)
  expect(await readKeys(feature)).toEqual(['operator', 'operator', 'operator', 'of-others'])
})

test('a key has its own base URL and says whether a customer set it and whether workspaces share it', async () => {
  await using feature = await openVendorKeys({ openai: { apiKey: 'operator', baseUrl: 'http://10.0.0.1/v1' } })
  await storeKey(feature, { tenantId: SISTER_TENANT }, 'own-address')
  await storeKey(feature, { workspaceId: 4 }, 'elsewhere', { baseUrl: 'https://models.example.com/v1' })
  expect(await feature.keys.findKey(1, 'openai')).toEqual({
    apiKey: 'operator',
    baseUrl: 'http://10.0.0.1/v1',
    isStored: false,
    isShared: true,
  })
  const tenantKey = { apiKey: 'own-address', baseUrl: null, isStored: true, isShared: true }
  expect(await feature.keys.findKey(3, 'openai')).toEqual(tenantKey)
  expect(await feature.keys.findKey(4, 'openai')).toEqual({
    apiKey: 'elsewhere',
    baseUrl: 'https://models.example.com/v1',
    isStored: true,
    isShared: false,
  })
  expect(await feature.keys.findKey(99, 'openai')).toMatchObject({ apiKey: 'operator' })
})

test('encrypts keys at rest', async () => {
  await using feature = await openVendorKeys()
  await storeKey(feature, { workspaceId: 1 }, 'sk-very-secret-1234')
  const row = await feature.database.read.selectFrom('provider_keys').selectAll().executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain('very-secret')
  expect(row.last_four).toBe('1234')
  expect(feature.secrets.decrypt(row.ciphertext, 'provider-key')).toBe('sk-very-secret-1234')
})

test("an unreadable key disables only its service, without falling back to another owner's", async () => {
  await using feature = await openVendorKeys({ openai: { apiKey: 'operator', baseUrl: null } })
  const damaged = await storeKey(feature, { workspaceId: 1 }, 'sk-to-be-damaged')
  await storeKey(feature, { workspaceId: 1 }, 'sk-anthropic', { service: 'anthropic' })
  await feature.database.transaction(async (transaction) => {
    const where = ['provider_key_id', '=', damaged.providerKeyId] as const
    await transaction
      .updateTable('provider_keys')
      .set({ ciphertext: 'AAAA' })
      .where(...where)
      .execute()
  })
  const refusal = { code: 'provider_not_configured', message: expect.stringContaining('Store it again') }
  await expect(feature.keys.findKey(1, 'openai')).rejects.toMatchObject(refusal)
  expect(await feature.keys.findKey(1, 'anthropic')).toMatchObject({ apiKey: 'sk-anthropic' })
  await feature.service.update(
    PLATFORM_ADMIN,
    damaged.providerKeyId,
    UpdateProviderKeyBody.parse({ apiKey: 'sk-mended' }),
  )
  expect(await feature.keys.findKey(1, 'openai')).toMatchObject({ apiKey: 'sk-mended' })
})

/** Simulates another node: the rows change, but not this node's cache. */
const changeOnOtherNode = (feature: Feature) =>
  feature.database.transaction(async (transaction) => {
    await transaction.deleteFrom('provider_keys').execute()
  })

test('sees changes of another node within five seconds', async () => {
  await using feature = await openVendorKeys()
  await storeKey(feature, { workspaceId: 1 }, 'sk-one-1')
  expect(await feature.keys.findKey(1, 'openai')).toMatchObject({ apiKey: 'sk-one-1' })
  await changeOnOtherNode(feature)
  await feature.time.advance(4_999)
  expect(await feature.keys.findKey(1, 'openai')).not.toBeNull()
  await feature.time.advance(1)
  expect(await feature.keys.findKey(1, 'openai')).toBeNull()
})

test('uses an announced change at once and announces its own', async () => {
  await using feature = await openVendorKeys()
  const { bus, keys } = feature
  let changeCount = 0
  bus.subscribe('provider-key.changed', () => {
    changeCount += 1
  })
  const { providerKeyId } = await storeKey(feature, { workspaceId: 1 }, 'sk-one-1')
  await feature.service.update(PLATFORM_ADMIN, providerKeyId, { apiKey: 'sk-two-2' })
  await Promise.resolve()
  expect(changeCount).toBe(2)
  expect(await keys.findKey(1, 'openai')).toMatchObject({ apiKey: 'sk-two-2' })
  await changeOnOtherNode(feature)
  bus.publish('provider-key.changed', null)
  await Promise.resolve()
  expect(await keys.findKey(1, 'openai')).toBeNull()
})

test('does not cache a read that a change overtakes', async () => {
  await using feature = await openVendorKeys()
  const reading = feature.keys.findKey(1, 'openai')
  const pendingStore = storeKey(feature, { workspaceId: 1 }, 'sk-one-1')
  await Promise.all([reading, pendingStore])
  expect(await feature.keys.findKey(1, 'openai')).toMatchObject({ apiKey: 'sk-one-1' })
})
