import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculateModelCost, calculateSpeechCost, loadPrices } from '../../../integrations/models/prices.ts'
import { buildCostColumns, type CallPrices, mergeCostItems, priceUsage, toAnalysisCostItems } from './call-cost.ts'

const priceTable = loadPrices(undefined)
const PRICES: CallPrices = {
  computeCost: (model, usage) => calculateModelCost(priceTable, model, usage),
  computeSpeechCost: (model, usage) => calculateSpeechCost(priceTable, model, usage),
}
const MODEL = 'openai/gpt-5-mini'

describe('the cost of a call', () => {
  test('is zero without keys, and known', () => {
    const items = priceUsage(
      [
        { product: 'llm', model: 'offline', quantity: 900, unit: 'input-token' },
        { product: 'synthesis', model: 'builtin/slt', quantity: 120, unit: 'character' },
        { product: 'transcription', model: 'browser', quantity: 60, unit: 'second' },
      ],
      PRICES,
    )
    expect(buildCostColumns(items, 20)).toMatchObject({ cost_llm: 0, cost_voice: 0, cost_gross: 0, cost_total: 0 })
    expect(buildCostColumns([], 20)).toMatchObject({ cost_gross: 0, cost_total: 0, cost_breakdown: '[]' })
  })

  test('speech is charged by the unit of its vendor', () => {
    const items = priceUsage(
      [
        { product: 'synthesis', model: 'openai/tts-1', quantity: 1_000, unit: 'character' },
        { product: 'synthesis', model: 'openai/tts-1', quantity: 60, unit: 'second' },
        { product: 'transcription', model: 'openai/whisper-1', quantity: 30, unit: 'second' },
        { product: 'synthesis', model: 'openai/gpt-4o-mini-tts', quantity: 900, unit: 'character' },
        { product: 'synthesis', model: 'openai/gpt-4o-mini-tts', quantity: 60, unit: 'second' },
      ],
      PRICES,
    )
    expect(items.map(({ cost }) => cost)).toEqual([0.015, 0, 0.003, 0, 0.015])
  })

  test('speech in other units, or without a price, is unknown', () => {
    const computeCosts = (model: string, units: readonly ('character' | 'second')[]) => {
      const usage = units.map((unit) => ({ product: 'synthesis', model, quantity: 10, unit }) as const)
      return priceUsage(usage, PRICES).map(({ cost }) => cost)
    }
    expect(computeCosts('openai/gpt-4o-mini-tts', ['character'])).toEqual([null])
    expect(computeCosts('openai/tts-1', ['second'])).toEqual([null])
    expect(computeCosts('speech/kokoro', ['character', 'second'])).toEqual([null, null])
  })

  test('tokens of an analysis are added to earlier ones', () => {
    const usage = { model: MODEL, inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 100, cost: null }
    const firstItems = toAnalysisCostItems([usage], PRICES)
    expect(firstItems.map(({ unit, quantity, cost }) => [unit, quantity, cost])).toEqual([
      ['input-token', 600, 0.00015],
      ['cached-input-token', 400, 0.00001],
      ['output-token', 100, 0.0002],
    ])
    const mergedItems = mergeCostItems(firstItems, firstItems)
    expect(mergedItems).toHaveLength(3)
    expect(buildCostColumns(mergedItems, 0)).toMatchObject({ cost_llm: 720, cost_gross: 720 })
  })

  test('the parts add up to the total, and adding in two steps equals adding once', () => {
    const item = fc.record({
      product: fc.constantFrom('llm', 'transcription', 'synthesis', 'analysis'),
      model: fc.constantFrom('a', 'b'),
      quantity: fc.nat(1_000),
      unit: fc.constantFrom('second', 'input-token'),
      cost: fc.nat(5_000_000).map((micros) => micros / 1e6),
    })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), fc.array(item, { maxLength: 8 }), (first, later) => {
        const firstColumns = buildCostColumns(mergeCostItems([], first), 0)
        const mergedColumns = buildCostColumns(mergeCostItems(first, later), 0, firstColumns)
        const expected = [...first, ...later].reduce((sum, { cost }) => sum + Math.round(cost * 1e6), 0)
        expect(mergedColumns.cost_gross).toBe(expected)
        expect(mergedColumns.cost_total).toBe(expected)
        expect((mergedColumns.cost_llm ?? 0) + (mergedColumns.cost_voice ?? 0)).toBe(expected)
      }),
    )
  })
})
