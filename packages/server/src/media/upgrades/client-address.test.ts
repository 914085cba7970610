import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createClientAddress } from './client-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as IncomingMessage

test.each([
  [false, '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  [true, '10.0.0.1', '1.2.3.4, 10.0.0.9', '1.2.3.4'],
  [true, '10.0.0.1', undefined, '10.0.0.1'],
  ['loopback', '::ffff:127.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['loopback', '8.8.8.8', '1.2.3.4', '8.8.8.8'],
  ['10.0.0.0/8, ::1', '::1', '9.9.9.9, 1.2.3.4, 10.1.2.3', '1.2.3.4'],
  ['10.0.0.1', '10.0.0.1', 'spoofed', 'spoofed'],
  ['nonsense', '10.0.0.1', '1.2.3.4', '10.0.0.1'],
] as const)('with proxies %s, resolves %s and %s to %s', (trustProxy, remote, forwarded, expected) => {
  expect(createClientAddress(trustProxy)(from(remote, forwarded))).toBe(expected)
})
