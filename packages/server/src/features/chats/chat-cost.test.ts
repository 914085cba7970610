import { describe, expect, test } from 'vitest'
import { chatCost } from './chat-cost.ts'

const usage = (model: string, cost: number | null) => ({
  model,
  inputTokens: 10,
  outputTokens: 5,
  cachedInputTokens: 2,
  cost,
})
const turn = (...items: ReturnType<typeof usage>[]) => ({ usage: JSON.stringify(items) })

describe('chatCost', () => {
  test('no usage costs nothing', () => {
    expect(chatCost([{ usage: '[]' }], 20)).toEqual({ total: 0, currency: 'USD', items: [] })
  })

  test('adds by model, to six decimals', () => {
    expect(chatCost([turn(usage('a', 0.1), usage('b', 0.000001)), turn(usage('a', 0.2))], 0)).toEqual({
      total: 0.300001,
      currency: 'USD',
      items: [
        { product: 'llm', model: 'a', inputTokens: 20, outputTokens: 10, cachedInputTokens: 4, cost: 0.3 },
        { product: 'llm', model: 'b', inputTokens: 10, outputTokens: 5, cachedInputTokens: 2, cost: 0.000001 },
      ],
    })
  })

  test('an unknown price makes the total unknown', () => {
    expect(chatCost([turn(usage('a', 0.1), usage('b', null))], 0).total).toBeNull()
  })

  test("adds the reseller's markup only to the total", () => {
    const { total, items } = chatCost([turn(usage('a', 0.1), usage('b', 0.05))], 12.5)
    expect(total).toBe(0.16875)
    expect(items.map(({ cost }) => cost)).toEqual([0.1, 0.05])
    expect(chatCost([turn(usage('a', null))], 12.5).total).toBeNull()
  })
})
