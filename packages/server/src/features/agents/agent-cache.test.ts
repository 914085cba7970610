import { expect, test } from 'vitest'
import { createAgentCache } from './agent-cache.ts'
import type { PinnedAgent } from './pinned-agent.ts'

const named = (agentName: string) => ({ agentName }) as PinnedAgent

test('keeps as much as it may, and what was used last', () => {
  const cache = createAgentCache(3_100)
  for (const key of ['a', 'b', 'c']) cache.set(key, named(key))
  expect(cache.get('a')).toEqual(named('a'))
  cache.set('d', named('d'))
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key)?.agentName)).toEqual(['a', undefined, 'c', 'd'])
})

test('keeps nothing that is larger than all it may keep', () => {
  const cache = createAgentCache(3_100)
  cache.set('a', named('a'))
  cache.set('large', named('x'.repeat(5_000)))
  expect([cache.get('a'), cache.get('large')]).toEqual([undefined, undefined])
})

test('counts what is set again once', () => {
  const cache = createAgentCache(3_100)
  for (let time = 0; time < 10; time += 1) cache.set('a', named('a'))
  cache.set('b', named('b'))
  expect(cache.get('a')).toEqual(named('a'))
})
