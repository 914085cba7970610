import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { NetworkMonitor } from './network-monitor.ts'

const WARNING = expect.objectContaining({ code: 'weak_network' })

test('a slow round trip is told, now and then', async () => {
  const { clock, advance } = manualClock()
  const network = new NetworkMonitor(clock)
  expect(network.roundTrip(200)).toBeNull()
  expect(network.roundTrip(900)).toEqual(WARNING)
  expect(network.roundTrip(900)).toBeNull()
  await advance(15_000)
  expect(network.roundTrip(900)).toEqual(WARNING)
})

test('so are gaps that come close together', async () => {
  const { clock, advance } = manualClock()
  const network = new NetworkMonitor(clock)
  expect(network.underruns(2)).toBeNull()
  await advance(11_000)
  expect(network.underruns(3)).toBeNull()
  expect(network.underruns(5)).toEqual(WARNING)
})
