import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { describe, expect, test } from 'vitest'
import { decideAgentRoles } from './plan-post-processing.ts'
import { combinePolicies, isStricter, type StoragePolicy } from './storage-policy.ts'

const storeEverything: StoragePolicy = { setting: 'everything', categories: PII_CATEGORIES, retentionDays: null }
const noEmail: StoragePolicy = { setting: 'everything_except_pii', categories: ['email'], retentionDays: 30 }
const noPin: StoragePolicy = { setting: 'everything_except_pii', categories: ['pin'], retentionDays: 7 }
const basic: StoragePolicy = { setting: 'basic_attributes_only', categories: [], retentionDays: null }

describe('the strictest of several agents wins', () => {
  test.each<[string, StoragePolicy[], StoragePolicy]>([
    ['one', [noEmail], noEmail],
    ['the categories of an agent that stores everything are ignored', [storeEverything, noEmail], noEmail],
    ['both omit something', [noEmail, noPin], { ...noPin, categories: ['email', 'pin'] }],
    ['one stores nothing', [noEmail, basic], { ...basic, categories: ['email'], retentionDays: 30 }],
    ['none', [], { setting: 'everything', categories: [], retentionDays: null }],
  ])('%s', (_what, policies, expected) => {
    expect(combinePolicies(policies)).toEqual(expected)
    expect(combinePolicies([...policies].reverse()).setting).toBe(expected.setting)
  })

  test('settings are ordered', () => {
    expect(isStricter('everything_except_pii', 'everything')).toBe(true)
    expect(isStricter('everything', 'everything')).toBe(false)
    expect(isStricter('everything_except_pii', 'basic_attributes_only')).toBe(false)
  })
})

describe('what a hand-over says about analysis and webhooks', () => {
  const both = { analysis: 'both_agents', webhooks: 'both_agents' } as const
  test('both agents, only one, or only the other', () => {
    expect(decideAgentRoles(undefined, undefined)).toEqual({ isAnalyzed: true, isNotified: true })
    expect(decideAgentRoles(undefined, both)).toEqual({ isAnalyzed: true, isNotified: true })
    expect(
      decideAgentRoles(undefined, { analysis: 'only_destination_agent', webhooks: 'only_destination_agent' }),
    ).toEqual({
      isAnalyzed: false,
      isNotified: false,
    })
    expect(decideAgentRoles({ ...both, webhooks: 'only_source_agent' }, undefined)).toEqual({
      isAnalyzed: true,
      isNotified: false,
    })
  })
})
