import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallTokens } from './call-tokens.ts'

const CALL = { callId: `call_${'a'.repeat(26)}`, expiresAtMs: 1_767_614_400_000, credentialId: null }
const tokens = createCallTokens(new Uint8Array(32).fill(1))

test('a token returns what was signed, for its use only', () => {
  expect(tokens.read('join', tokens.sign('join', CALL))).toEqual(CALL)
  expect(tokens.sign('join', CALL)).toBe(tokens.sign('join', CALL))
  expect(tokens.read('listen', tokens.sign('join', CALL))).toBeNull()
  const heard = { ...CALL, credentialId: 'session_1' }
  const listen = tokens.sign('listen', heard)
  expect(tokens.read('listen', listen)).toEqual(heard)
  for (const changed of ['.session_2', '']) {
    expect(tokens.read('listen', listen.replace('.session_1', changed))).toBeNull()
  }
  expect(createCallTokens(new Uint8Array(32).fill(2)).read('join', tokens.sign('join', CALL))).toBeNull()
})

test('rejects every other text', () => {
  const token = tokens.sign('join', CALL)
  fc.assert(
    fc.property(fc.nat(token.length - 2), fc.constantFrom(...'abcXYZ019._- \0'), (index, character) => {
      const changed = token.slice(0, index) + character + token.slice(index + 1)
      return changed === token || tokens.read('join', changed) === null
    }),
  )
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => tokens.read('join', text) === null))
})
