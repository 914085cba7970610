import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EncryptedValueError } from '../../kernel/security/secrets.ts'
import { createSecrets, loadSecretKey } from './sealed-secrets.ts'

const secrets = createSecrets('k'.repeat(32))

function reasonOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof EncryptedValueError) return error.reason
  }
  return 'none'
}

describe('createSecrets', () => {
  test.each(['', 'sk-123', 'Grüße 👋 \u0000', 'x'.repeat(100_000)])('decrypts what it encrypted (%#)', (plaintext) => {
    expect(secrets.decrypt(secrets.encrypt(plaintext, 'provider-key'), 'provider-key')).toBe(plaintext)
  })

  test('produces a new ciphertext each time, which a new instance with the same key decrypts', () => {
    const sealed = secrets.encrypt('a', 'p')
    expect(secrets.encrypt('a', 'p')).not.toBe(sealed)
    expect(createSecrets('k'.repeat(32)).decrypt(sealed, 'p')).toBe('a')
  })

  test('does not decrypt for another purpose', () => {
    expect(reasonOf(() => secrets.decrypt(secrets.encrypt('a', 'p'), 'q'))).toBe('damaged')
  })

  test('detects a wrong key and explains what to do', () => {
    const other = createSecrets('j'.repeat(32))
    const sealed = secrets.encrypt('a', 'p')
    expect(reasonOf(() => other.decrypt(sealed, 'p'))).toBe('wrong-key')
    expect(() => other.decrypt(sealed, 'p')).toThrow(/start Parley with the SECRET_KEY/)
  })

  test('detects any changed byte and any truncation', () => {
    const bytes = Buffer.from(secrets.encrypt('secret', 'p'), 'base64url')
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(reasonOf(() => secrets.decrypt(changed.toString('base64url'), 'p'))).not.toBe('none')
      expect(reasonOf(() => secrets.decrypt(bytes.subarray(0, index).toString('base64url'), 'p'))).not.toBe('none')
    }
  })

  test('rejects garbage', () => {
    for (const garbage of ['', '%%%', 'AQ', 'not sealed at all, but long enough to look like it']) {
      expect(reasonOf(() => secrets.decrypt(garbage, 'p'))).toBe('damaged')
    }
  })
})

async function createTemporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-key-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe('loadSecretKey', () => {
  test('generates a key once, readable by its owner only, and leaves nothing else', async () => {
    await using folder = await createTemporaryFolder()
    const load = () => loadSecretKey({ secretKey: undefined, dataDirectory: folder.path })
    const key = await load()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(await load()).toBe(key)
    expect(await readdir(folder.path)).toEqual(['secret.key'])
    expect((await stat(join(folder.path, 'secret.key'))).mode & 0o777).toBe(0o600)
  })

  test('processes that start together agree on one key', async () => {
    await using folder = await createTemporaryFolder()
    const concurrentLoads = Array.from({ length: 8 }, () =>
      loadSecretKey({ secretKey: undefined, dataDirectory: folder.path }),
    )
    expect(new Set(await Promise.all(concurrentLoads)).size).toBe(1)
    expect(await readdir(folder.path)).toEqual(['secret.key'])
  })

  test('the setting takes precedence and writes no file', async () => {
    await using folder = await createTemporaryFolder()
    const secretKey = 'a long enough key for this test!'
    expect(await loadSecretKey({ secretKey, dataDirectory: folder.path })).toBe(secretKey)
    expect(await readdir(folder.path)).toEqual([])
  })

  test('rejects a short setting and an empty file by name', async () => {
    await using folder = await createTemporaryFolder()
    const dataDirectory = folder.path
    await expect(loadSecretKey({ secretKey: 'short', dataDirectory })).rejects.toThrow(
      /SECRET_KEY must hold at least 32/,
    )
    await writeFile(join(dataDirectory, 'secret.key'), '')
    await expect(loadSecretKey({ secretKey: undefined, dataDirectory })).rejects.toThrow(/secret\.key must hold/)
  })
})
