import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { startDnsServer } from '../../../../../testing/dns-server/dns-server.ts'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { createTargetPolicy, isPublicAddress } from './target-policy.ts'
import { createTxtReader } from './txt-records.ts'

describe('isPublicAddress', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fd00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:a9fe:a9fe',
    '::7f00:1',
    '::a00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '4000::1',
    '127.1',
    '2130706433',
    'localhost',
    '',
  ])('%s is not', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
  })

  test.each([
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ])('%s is', (ip) => {
    expect(isPublicAddress(ip)).toBe(true)
  })
})

describe('createTargetPolicy', () => {
  const target = (hostname: string, port: number, address: string) => ({ hostname, port, address })

  test('allows only public addresses without entries', () => {
    const policy = createTargetPolicy({ allowPrivateTargets: [] })
    expect(policy.allows(target('example.com', 443, '8.8.8.8'))).toBe(true)
    expect(policy.allows(target('example.com', 443, '10.0.0.1'))).toBe(false)
  })

  test.each([
    ['tools.internal', target('tools.internal', 80, '10.0.0.1'), true],
    ['Tools.Internal.', target('tools.internal', 80, '10.0.0.1'), true],
    ['tools.internal', target('TOOLS.internal.', 80, '10.0.0.1'), true],
    ['tools.internal', target('other.internal', 80, '10.0.0.1'), false],
    ['tools.internal', target('evil-tools.internal', 80, '10.0.0.1'), false],
    ['tools.internal:8080', target('tools.internal', 8080, '10.0.0.1'), true],
    ['tools.internal:8080', target('tools.internal', 80, '10.0.0.1'), false],
    ['127.0.0.1', target('127.0.0.1', 80, '127.0.0.1'), true],
    ['127.0.0.1', target('localhost', 80, '127.0.0.1'), true],
    ['127.0.0.1', target('[::ffff:7f00:1]', 80, '::ffff:7f00:1'), true],
    ['127.0.0.1', target('127.0.0.2', 80, '127.0.0.2'), false],
    ['127.0.0.1:4200', target('127.0.0.1', 4200, '127.0.0.1'), true],
    ['127.0.0.1:4200', target('127.0.0.1', 22, '127.0.0.1'), false],
    ['[::1]:4200', target('::1', 4200, '::1'), true],
    ['[::1]:4200', target('::1', 4201, '::1'), false],
    ['::1', target('::1', 80, '::1'), true],
    ['[::1]', target('::1', 80, '::1'), true],
    ['10.1.0.0/16', target('10.1.2.3', 80, '10.1.2.3'), true],
    ['10.1.0.0/16', target('10.2.2.3', 80, '10.2.2.3'), false],
    ['10.1.0.0/16', target('::1', 80, '::1'), false],
    ['fd00::/8', target('fd12::1', 80, 'fd12::1'), true],
  ])('with %s allowed, %o → %s', (entry, given, expected) => {
    expect(createTargetPolicy({ allowPrivateTargets: [entry] }).allows(given)).toBe(expected)
  })

  test.each(['', 'http://x', 'a b', '10.0.0.0/33', 'host:0', 'host:70000', '[tools]:80', '*', '.'])(
    'refuses the entry "%s"',
    (entry) => {
      expect(() => createTargetPolicy({ allowPrivateTargets: [entry] })).toThrow('is not a host')
    },
  )
})

test('reads the TXT records of a name, and gives up on a silent name server', async () => {
  await using server = await startDnsServer({
    '_parley-verification.voice.example': [['some', 'thing'], ['other']],
    'empty.example': [],
    'silent.example': 'silent',
  })
  const time = createManualClock()
  const read = createTxtReader({ clock: time.clock, servers: [server.address] })
  expect(await read('_parley-verification.voice.example')).toEqual(['something', 'other'])
  expect(await read('empty.example')).toEqual([])
  expect(await read('missing.example')).toEqual([])
  expect(await read(`${'a'.repeat(60)}.`.repeat(5))).toEqual([])
  expect(time.countPendingTimers()).toBe(0)
  const reading = read('silent.example')
  while (!server.asked.includes('silent.example')) await nextTurn()
  await time.advance(5_000)
  expect(await reading).toBeNull()
})
