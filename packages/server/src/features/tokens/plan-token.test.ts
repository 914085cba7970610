import { SCOPES } from '@parley/contract/access'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../kernel/errors.ts'
import { planToken, type TokenBounds } from './plan-token.ts'

const NOW = 1_000
const reached = (...ids: number[]): TokenBounds['workspaces'] =>
  new Map(ids.map((id) => [id, { level: 'admin', accountSid: 'a' }]))
const bounds = (given: Partial<TokenBounds> = {}): TokenBounds => ({
  scopes: new Set(SCOPES),
  workspaces: reached(1, 2),
  isLimited: false,
  endsAt: null,
  ...given,
})

describe('planToken', () => {
  test('asked for nothing, it is all that its maker is', () => {
    expect(planToken(bounds(), {}, NOW)).toEqual({ scopes: SCOPES, workspaceIds: null, expiresAt: null })
    const limits = { scopes: new Set(['admin', 'read'] as const), isLimited: true, endsAt: 5_000 }
    const limited = { scopes: ['read', 'admin'], workspaceIds: [1, 2], expiresAt: 5_000 }
    expect(planToken(bounds(limits), {}, NOW)).toEqual(limited)
    expect(planToken(bounds(limits), { scopes: null, workspaceIds: null, expiresAt: null }, NOW)).toEqual(limited)
  })

  test.each([
    [{ scopes: ['write', 'read'] }, {}, { scopes: ['read', 'write'] }],
    [{ workspaceIds: [2, 1] }, {}, { workspaceIds: [1, 2] }],
    [{ expiresAt: 1_001 }, {}, { expiresAt: 1_001 }],
    [{ expiresAt: 4_999 }, { endsAt: 5_000 }, { expiresAt: 4_999 }],
    [{ expiresAt: 5_000 }, { endsAt: 5_000 }, { expiresAt: 5_000 }],
  ] as const)('%j within %j is %j', (requests, limits, expected) => {
    const plain = JSON.parse(JSON.stringify(requests))
    expect(planToken(bounds(limits), plain, NOW)).toMatchObject(expected)
  })

  test.each([
    [{ scopes: ['write'] }, { scopes: new Set(['read', 'admin'] as const) }, 'forbidden'],
    [{ workspaceIds: [1, 3] }, {}, 'workspace_forbidden'],
    [{ expiresAt: 1_000 }, {}, 'invalid_request'],
    [{ expiresAt: 5_001 }, { endsAt: 5_000 }, 'forbidden'],
    [{}, { isLimited: true, workspaces: reached() }, 'forbidden'],
  ] as const)('%j within %j is refused: %s', (requests, limits, code) => {
    const plain = JSON.parse(JSON.stringify(requests))
    expect(() => planToken(bounds(limits), plain, NOW)).toThrow(expect.objectContaining({ code }))
  })

  test('is never more than its maker', () => {
    const scopes = fc.uniqueArray(fc.constantFrom(...SCOPES))
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4 }))
    const creators = fc.record({
      scopes,
      ids,
      isLimited: fc.boolean(),
      endsAt: fc.option(fc.integer({ min: 1_001, max: 9_999 })),
    })
    const requests = fc.record({
      scopes: fc.option(scopes),
      workspaceIds: fc.option(ids),
      expiresAt: fc.option(fc.integer({ min: 1, max: 12_000 })),
    })
    fc.assert(
      fc.property(creators, requests, (creator, requested) => {
        const within = bounds({ ...creator, scopes: new Set(creator.scopes), workspaces: reached(...creator.ids) })
        try {
          const plan = planToken(within, requested, NOW)
          expect(new Set(plan.scopes).isSubsetOf(within.scopes)).toBe(true)
          expect(
            plan.workspaceIds === null ? !creator.isLimited : plan.workspaceIds.every((id) => creator.ids.includes(id)),
          ).toBe(true)
          if (creator.endsAt !== null) expect(plan.expiresAt).toBeLessThanOrEqual(creator.endsAt)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
        }
      }),
    )
  })
})
