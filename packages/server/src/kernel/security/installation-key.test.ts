import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { reversibleSecrets } from '../../features/features-test-kit.ts'
import { createInstallationKey } from './secrets.ts'

test('all nodes share one encrypted installation key', async () => {
  await using database = await temporaryDatabase()
  const createNodeKey = (byte: number) =>
    createInstallationKey({
      database,
      secrets: reversibleSecrets,
      randomBytes: (size) => new Uint8Array(size).fill(byte),
    })
  const [firstKey, secondKey, thirdKey] = await Promise.all([
    createNodeKey(1)(),
    createNodeKey(2)(),
    createNodeKey(3)(),
  ])
  for (const key of [secondKey, thirdKey, await createNodeKey(4)()]) expect(key).toEqual(firstKey)
  const row = await database.read
    .selectFrom('installation')
    .select('value')
    .where('name', '=', 'call_token_key')
    .executeTakeFirst()
  expect(row?.value).toMatch(/^call_token_key:/)
})

test('reads the key again after a failed read', async () => {
  await using database = await temporaryDatabase()
  let isBroken = true
  const secrets = {
    ...reversibleSecrets,
    encrypt: (plaintext: string, purpose: string) => {
      if (isBroken) throw new Error('broken')
      return reversibleSecrets.encrypt(plaintext, purpose)
    },
  }
  const loadKey = createInstallationKey({ database, secrets, randomBytes: (size) => new Uint8Array(size).fill(9) })
  await expect(loadKey()).rejects.toThrow('broken')
  isBroken = false
  expect(await loadKey()).toEqual(Buffer.alloc(32, 9))
})
