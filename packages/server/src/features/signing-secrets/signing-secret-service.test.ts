import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createSigningSecretService } from './signing-secret-service.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Returns the secret from the n-th draw of random bytes. */
const buildSecret = (draw: number): string => `whsec_${draw.toString(16).padStart(2, '0').repeat(32)}`

const noNotifications = () => createInProcessBus(() => {})

async function openSecrets(bus = noNotifications()) {
  const database = await temporaryDatabase()
  const time = createManualClock()
  let ids = 0
  let draws = 0
  const service = createSigningSecretService({
    bus,
    database,
    clock: time.clock,
    makeId: (prefix) => `${prefix}_${++ids}`,
    secrets: {
      encrypt: (plaintext, purpose) => `${purpose}:${[...plaintext].reverse().join('')}`,
      decrypt: (sealed, purpose) => [...sealed.slice(purpose.length + 1)].reverse().join(''),
    },
    randomBytes: (size) => new Uint8Array(size).fill(++draws),
  })
  await seedWorkspaces(database, [1])
  await database.transaction((transaction) => service.createInitial(transaction, 1))
  return { database, time, service, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

test('a workspace starts with one secret, which is stored sealed', async () => {
  await using feature = await openSecrets()
  expect(await feature.service.get(1)).toEqual([
    { secretId: 'secret_1', secret: buildSecret(1), createdAt: '2026-01-05T12:00:00.000Z', expiresAt: null },
  ])
  const row = await feature.database.read.selectFrom('signing_secrets').selectAll().executeTakeFirstOrThrow()
  expect(row.ciphertext).toMatch(/^signing-secret:/)
  expect(row.ciphertext).not.toContain(buildSecret(1))
  expect(await feature.service.get(2)).toEqual([])
})

test('after a rotation the old secret signs for another day', async () => {
  await using feature = await openSecrets()
  const { service, time } = feature
  expect(await service.getActiveSecrets(1)).toEqual([buildSecret(1)])
  const rotated = await service.rotate(1)
  expect(rotated.map(({ secret, expiresAt }) => [secret, expiresAt])).toEqual([
    [buildSecret(2), null],
    [buildSecret(1), '2026-01-06T12:00:00.000Z'],
  ])
  expect(await service.get(1)).toEqual(rotated)
  expect(await service.getActiveSecrets(1)).toEqual([buildSecret(2), buildSecret(1)])

  await time.advance(DAY_MS - 1)
  expect(await service.getActiveSecrets(1)).toEqual([buildSecret(2), buildSecret(1)])
  await time.advance(1)
  expect(await service.getActiveSecrets(1)).toEqual([buildSecret(2)])
  expect(await service.get(1)).toHaveLength(1)

  await service.rotate(1)
  const secretRows = await feature.database.read.selectFrom('signing_secrets').select('secret_id').execute()
  expect(secretRows.map(({ secret_id }) => secret_id).sort()).toEqual(['secret_2', 'secret_3'])
})

test('after two rotations each secret keeps its own end, newest first', async () => {
  await using feature = await openSecrets()
  await feature.service.rotate(1)
  await feature.time.advance(1000)
  const secrets = await feature.service.rotate(1)
  expect(secrets.map(({ secretId, expiresAt }) => [secretId, expiresAt])).toEqual([
    ['secret_3', null],
    ['secret_2', '2026-01-06T12:00:01.000Z'],
    ['secret_1', '2026-01-06T12:00:00.000Z'],
  ])
})

test('sees a rotation on another node within five seconds', async () => {
  await using feature = await openSecrets()
  await feature.service.getActiveSecrets(1)
  await feature.database.transaction((transaction) => feature.service.createInitial(transaction, 1))
  expect(await feature.service.getActiveSecrets(1)).toHaveLength(1)
  await feature.time.advance(5_000)
  expect(await feature.service.getActiveSecrets(1)).toHaveLength(2)
})

test('uses a rotation announced by another node for the next signature', async () => {
  const bus = noNotifications()
  await using feature = await openSecrets(bus)
  const { service, database, time } = feature
  expect(await service.getActiveSecrets(1)).toEqual([buildSecret(1)])
  // Simulates another node: the rows change first, and then the event arrives at this node's cache.
  await database.transaction(async (transaction) => {
    await transaction.updateTable('signing_secrets').set({ expires_at: time.clock.now() }).execute()
  })
  expect(await service.getActiveSecrets(1)).toEqual([buildSecret(1)])
  bus.publish('signing-secret.rotated', 1)
  await Promise.resolve()
  expect(await service.getActiveSecrets(1)).toEqual([])
})
