import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { startDnsServer } from '../../../../../testing/dns-server/dns-server.ts'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { createTxtReader } from './txt-records.ts'

test('reads the TXT records of a name from a name server, and gives up on one that says nothing', async () => {
  await using server = await startDnsServer({
    '_parley-verification.voice.example': [['some', 'thing'], ['other']],
    'empty.example': [],
    'silent.example': 'silent',
  })
  const time = manualClock()
  const read = createTxtReader({ clock: time.clock, servers: [server.address] })
  expect(await read('_parley-verification.voice.example')).toEqual(['something', 'other'])
  expect(await read('empty.example')).toEqual([])
  expect(await read('missing.example')).toEqual([])
  expect(await read(`${'a'.repeat(60)}.`.repeat(5))).toEqual([])
  expect(time.pendingTimers()).toBe(0)
  const reading = read('silent.example')
  while (!server.asked.includes('silent.example')) await nextTurn()
  await time.advance(5_000)
  expect(await reading).toBeNull()
})
