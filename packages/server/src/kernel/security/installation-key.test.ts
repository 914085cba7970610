import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { reversibleSecrets } from '../../features/features-test-kit.ts'
import { createInstallationKey } from './secrets.ts'

test('all nodes share one installation key, stored sealed', async () => {
  await using database = await temporaryDatabase()
  const node = (byte: number) =>
    createInstallationKey({
      database,
      secrets: reversibleSecrets,
      randomBytes: (size) => new Uint8Array(size).fill(byte),
    })
  const [one, other, later] = await Promise.all([node(1)(), node(2)(), node(3)()])
  for (const key of [other, later, await node(4)()]) expect(key).toEqual(one)
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
    seal: (plaintext: string, purpose: string) => {
      if (isBroken) throw new Error('broken')
      return reversibleSecrets.seal(plaintext, purpose)
    },
  }
  const key = createInstallationKey({ database, secrets, randomBytes: (size) => new Uint8Array(size).fill(9) })
  await expect(key()).rejects.toThrow('broken')
  isBroken = false
  expect(await key()).toEqual(Buffer.alloc(32, 9))
})
