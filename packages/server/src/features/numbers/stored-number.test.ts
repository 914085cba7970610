import type { WeightedAgent } from '@parley/contract/number-agent'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseInboundAgent, type InboundNumber } from './stored-number.ts'

const CALLERS = 20_000
const callers = Array.from({ length: CALLERS }, (_, index) => `+1555${String(index).padStart(7, '0')}`)
const neverRandom = (): number => {
  throw new Error('chance was asked')
}

const agent = (agent_id: string, weight: number): WeightedAgent => ({ agent_id, agent_version: null, weight })
const buildNumber = (inbound: readonly WeightedAgent[], fields: Partial<InboundNumber> = {}): InboundNumber => ({
  number: '+4989123456',
  inbound,
  sticky: true,
  defaultAgentId: null,
  ...fields,
})

/** Computes the share of each agent over all callers. */
function computeShares(choose: (caller: string) => string | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const caller of callers) {
    const chosen = choose(caller) ?? 'nobody'
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1 / CALLERS)
  }
  return counts
}

/** Creates a generator of numbers in [0, 1) that repeat with the seed. */
function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe.each([
  ['two equal', [agent('a', 0.5), agent('b', 0.5)]],
  ['one of ten', [agent('a', 0.9), agent('b', 0.1)]],
  ['four', [agent('a', 0.1), agent('b', 0.2), agent('c', 0.3), agent('d', 0.4)]],
  ['versions of one', [agent('a', 0.25), { ...agent('a', 0.75), agent_version: 2 }]],
])('shares are within 3 % of the weights: %s', (_, inbound) => {
  const formatAgent = (chosen: WeightedAgent | null) => `${chosen?.agent_id}@${chosen?.agent_version}`

  test.each([
    ['sticky', buildNumber(inbound), neverRandom],
    ['not sticky', buildNumber(inbound, { sticky: false }), createSeededRandom(1)],
  ])('%s', (_kind, number, random) => {
    const shares = computeShares((caller) => formatAgent(chooseInboundAgent(number, caller, random)))
    for (const expected of inbound) {
      expect(Math.abs((shares.get(formatAgent(expected)) ?? 0) - expected.weight)).toBeLessThan(0.03)
    }
  })
})

test('a caller keeps its agent unless that one loses weight or another one gains', () => {
  const weights = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 2, maxLength: 6 })
  fc.assert(
    fc.property(
      weights,
      fc.nat(),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      fc.string(),
      (given, at, weight, caller) => {
        const agentsBefore = given.map((share, index) => agent(`agent_${index}`, share))
        const changed = at % given.length
        const agentsAfter = agentsBefore.map((current, index) => (index === changed ? { ...current, weight } : current))
        const firstAgentId = chooseInboundAgent(buildNumber(agentsBefore), caller, neverRandom)?.agent_id
        const secondAgentId = chooseInboundAgent(buildNumber(agentsAfter.toReversed()), caller, neverRandom)?.agent_id
        const isOfChanged = (id: string | undefined) => id === `agent_${changed}`
        // Callers never move between two agents with unchanged weights, in any order.
        expect(firstAgentId === secondAgentId || isOfChanged(firstAgentId) || isOfChanged(secondAgentId)).toBe(true)
        if (isOfChanged(firstAgentId) && weight >= (given[changed] ?? 0)) expect(secondAgentId).toBe(firstAgentId)
      },
    ),
  )
})

test('a caller gets the same agent again; another number decides separately', () => {
  const inbound = [agent('a', 0.5), agent('b', 0.5)]
  const choose = (caller: string, number: string) =>
    chooseInboundAgent(buildNumber(inbound, { number }), caller, neverRandom)?.agent_id
  const differing = callers.slice(0, 1000).filter((caller) => {
    expect(choose(caller, '101')).toBe(choose(caller, '101'))
    return choose(caller, '101') !== choose(caller, '102')
  })
  expect(differing.length).toBeGreaterThan(400)
})

test('decides randomly without a caller number', () => {
  const number = buildNumber([agent('a', 0.3), agent('b', 0.7)])
  expect(chooseInboundAgent(number, null, () => 0)?.agent_id).toBe('a')
  expect(chooseInboundAgent(number, null, () => 0.29)?.agent_id).toBe('a')
  expect(chooseInboundAgent(number, null, () => 0.31)?.agent_id).toBe('b')
  expect(chooseInboundAgent(number, null, () => 1 - 2 ** -53)?.agent_id).toBe('b')
})

test('the default agent answers a number without inbound agents', () => {
  expect(chooseInboundAgent(buildNumber([], { defaultAgentId: 'x' }), '1', neverRandom)).toEqual(agent('x', 1))
  expect(chooseInboundAgent(buildNumber([]), '1', neverRandom)).toBeNull()
  expect(chooseInboundAgent(buildNumber([]), null, () => 0)).toBeNull()
})
