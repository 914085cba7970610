import type { Call } from '@parley/contract/call'
import type { CallEvent } from '@parley/contract/call-event'
import type { ModelUsage } from '@parley/engine/ports'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { ComputeCost, ComputeSpeechCost, StoredUsage } from '../policy/plan-post-processing.ts'

type Usage = Extract<CallEvent, { type: 'usage' }>
/** A call's total usage of one product, model and unit. */
export type CallUsage = Pick<Usage, 'product' | 'model' | 'unit' | 'quantity'>
export type CostItem = Call['costBreakdown'][number]

/** Computes costs from current prices. */
export interface CallPrices {
  readonly computeCost: ComputeCost
  readonly computeSpeechCost: ComputeSpeechCost
}

/** Adds costs to a call's usage. A cost is null if the price is unknown. */
export function priceUsage(usage: readonly CallUsage[], prices: CallPrices): readonly CostItem[] {
  return usage.map((item) => ({
    ...item,
    cost: item.product === 'llm' ? calculateTokenCost(item, prices) : calculateSpeechCost(item, usage, prices),
  }))
}

const NO_TOKENS: ModelUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }

/** Calculates the cost of tokens. Cached tokens are counted separately. */
function calculateTokenCost(
  { model, unit, quantity }: Omit<CallUsage, 'product'>,
  { computeCost }: Pick<CallPrices, 'computeCost'>,
): number | null {
  if (unit === 'output-token') return computeCost(model, { ...NO_TOKENS, outputTokens: quantity })
  const cachedInputTokens = unit === 'cached-input-token' ? quantity : 0
  return computeCost(model, { ...NO_TOKENS, inputTokens: quantity, cachedInputTokens })
}

/** Calculates the cost of speech. Usage is measured in seconds and in characters, but only one unit is charged. */
function calculateSpeechCost(
  item: CallUsage,
  usage: readonly CallUsage[],
  { computeSpeechCost }: CallPrices,
): number | null {
  const { product, model, unit, quantity } = item
  const findQuantity = (expectedUnit: CallUsage['unit']): number | null =>
    usage.find((usedItem) => usedItem.product === product && usedItem.model === model && usedItem.unit === expectedUnit)
      ?.quantity ?? null
  const quantities = { seconds: null, characters: null, [unit === 'second' ? 'seconds' : 'characters']: quantity }
  const unitCost = computeSpeechCost(model, quantities)
  if (unitCost !== null) return unitCost
  return computeSpeechCost(model, { seconds: findQuantity('second'), characters: findQuantity('character') }) === null
    ? null
    : 0
}

/** Converts the usage of an analysis to separate cost items. */
export function toAnalysisCostItems(
  usages: readonly StoredUsage[],
  prices: Pick<CallPrices, 'computeCost'>,
): readonly CostItem[] {
  const items = usages.flatMap(({ model, inputTokens, cachedInputTokens, outputTokens }) => {
    const quantities = [
      ['input-token', Math.max(0, inputTokens - cachedInputTokens)],
      ['cached-input-token', cachedInputTokens],
      ['output-token', outputTokens],
    ] as const
    return quantities.map(([unit, quantity]) => {
      return { product: 'analysis', model, quantity, unit, cost: calculateTokenCost({ model, unit, quantity }, prices) }
    })
  })
  return items.filter(({ quantity }) => quantity > 0)
}

/** Merges cost items by product, model and unit. */
export function mergeCostItems(items: readonly CostItem[], extraItems: readonly CostItem[]): readonly CostItem[] {
  const totals = new Map<string, CostItem>()
  for (const item of [...items, ...extraItems]) {
    const key = JSON.stringify([item.product, item.model, item.unit])
    const total = totals.get(key)
    const cost = total === undefined ? item.cost : addCosts(total.cost, item.cost)
    totals.set(key, { ...item, quantity: item.quantity + (total?.quantity ?? 0), cost })
  }
  return [...totals.values()]
}

export type CostColumns = Pick<CallRow, 'cost_voice' | 'cost_llm' | 'cost_gross' | 'cost_total' | 'cost_breakdown'>

/**
 * Builds a call's cost columns in millionths of a US dollar. The total includes the reseller's markup. For calls with
 * previous costs, the markup applies only to new items.
 */
export function buildCostColumns(
  items: readonly CostItem[],
  markupPercent: number,
  previousCosts: Pick<CostColumns, 'cost_gross' | 'cost_total'> = { cost_gross: 0, cost_total: 0 },
): CostColumns {
  const cost_llm = sumMicroDollars(items.filter(({ product }) => MODEL_PRODUCTS.has(product)))
  const cost_voice = sumMicroDollars(items.filter(({ product }) => VOICE_PRODUCTS.has(product)))
  const cost_gross = sumMicroDollars(items)
  const addedCost =
    cost_gross === null || previousCosts.cost_gross === null ? null : cost_gross - previousCosts.cost_gross
  const isTotalKnown = addedCost !== null && previousCosts.cost_total !== null
  return {
    cost_llm,
    cost_voice,
    cost_gross,
    cost_total: isTotalKnown
      ? (previousCosts.cost_total ?? 0) + Math.round(addedCost * (1 + markupPercent / 100))
      : null,
    cost_breakdown: JSON.stringify(items),
  }
}

const MODEL_PRODUCTS: ReadonlySet<string> = new Set(['llm', 'analysis'])
const VOICE_PRODUCTS: ReadonlySet<string> = new Set(['transcription', 'synthesis'])

function sumMicroDollars(items: readonly CostItem[]): number | null {
  return items.reduce<number | null>(
    (sum, { cost }) => (sum === null || cost === null ? null : sum + Math.round(cost * 1e6)),
    0,
  )
}

/** Adds two costs and rounds the sum to six decimals to remove floating-point errors. */
function addCosts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round((a + b) * 1e6) / 1e6
}
