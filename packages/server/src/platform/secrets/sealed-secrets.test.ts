import { describe, expect, test } from 'vitest'
import { SealedValueError } from '../../kernel/security/secrets.ts'
import { createSecrets } from './sealed-secrets.ts'

const secrets = createSecrets('k'.repeat(32))

function reasonOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof SealedValueError) return error.reason
  }
  return 'none'
}

describe('sealed secrets', () => {
  test.each(['', 'sk-123', 'Grüße 👋 \u0000', 'x'.repeat(100_000)])('open what they sealed (%#)', (plaintext) => {
    expect(secrets.open(secrets.seal(plaintext, 'provider-key'), 'provider-key')).toBe(plaintext)
  })

  test('are different each time and survive a new instance with the same key', () => {
    const sealed = secrets.seal('a', 'p')
    expect(secrets.seal('a', 'p')).not.toBe(sealed)
    expect(createSecrets('k'.repeat(32)).open(sealed, 'p')).toBe('a')
  })

  test('do not open for another purpose', () => {
    expect(reasonOf(() => secrets.open(secrets.seal('a', 'p'), 'q'))).toBe('damaged')
  })

  test('a wrong key is told apart and the message says what to do', () => {
    const other = createSecrets('j'.repeat(32))
    const sealed = secrets.seal('a', 'p')
    expect(reasonOf(() => other.open(sealed, 'p'))).toBe('wrong-key')
    expect(() => other.open(sealed, 'p')).toThrow(/start Parley with the SECRET_KEY/)
  })

  test('any changed byte and any shortening is noticed', () => {
    const bytes = Buffer.from(secrets.seal('secret', 'p'), 'base64url')
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(reasonOf(() => secrets.open(changed.toString('base64url'), 'p'))).not.toBe('none')
      expect(reasonOf(() => secrets.open(bytes.subarray(0, index).toString('base64url'), 'p'))).not.toBe('none')
    }
  })

  test('garbage is refused, not crashed on', () => {
    for (const garbage of ['', '%%%', 'AQ', 'not sealed at all, but long enough to look like it']) {
      expect(reasonOf(() => secrets.open(garbage, 'p'))).toBe('damaged')
    }
  })
})
