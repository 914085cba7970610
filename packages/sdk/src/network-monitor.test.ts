import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { NetworkMonitor } from './network-monitor.ts'

const WARNING = expect.objectContaining({ code: 'weak_network' })

test('warns about slow round trips at intervals', async () => {
  const { clock, advance } = createManualClock()
  const network = new NetworkMonitor(clock)
  expect(network.recordRoundTrip(200)).toBeNull()
  expect(network.recordRoundTrip(900)).toEqual(WARNING)
  expect(network.recordRoundTrip(900)).toBeNull()
  await advance(15_000)
  expect(network.recordRoundTrip(900)).toEqual(WARNING)
})

test('warns about frequent underruns', async () => {
  const { clock, advance } = createManualClock()
  const network = new NetworkMonitor(clock)
  expect(network.recordUnderruns(2)).toBeNull()
  await advance(11_000)
  expect(network.recordUnderruns(3)).toBeNull()
  expect(network.recordUnderruns(5)).toEqual(WARNING)
})
