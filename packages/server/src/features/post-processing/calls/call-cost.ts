import type { Call } from '@parley/contract/call'
import type { CallEvent } from '@parley/contract/call-event'
import type { ModelUsage } from '@parley/engine/ports'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { CostOf, SpeechCostOf, StoredUsage } from '../policy/plan-post-processing.ts'

type Usage = Extract<CallEvent, { type: 'usage' }>
/** Total usage of one item in a call. */
export type CallUsage = Pick<Usage, 'product' | 'model' | 'unit' | 'quantity'>
export type CostItem = Call['costBreakdown'][number]

/** Current prices. */
export interface CallPrices {
  readonly computeCost: CostOf
  readonly speechCostOf: SpeechCostOf
}

/** Adds prices to the usage of a call. An unknown price is null. */
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

/** Calculates the cost of speech. Speech is measured in seconds and characters, but only one of the two is charged. */
function calculateSpeechCost(
  item: CallUsage,
  usage: readonly CallUsage[],
  { speechCostOf }: CallPrices,
): number | null {
  const { product, model, unit, quantity } = item
  const findQuantity = (expectedUnit: CallUsage['unit']): number | null =>
    usage.find((usedItem) => usedItem.product === product && usedItem.model === model && usedItem.unit === expectedUnit)
      ?.quantity ?? null
  const quantities = { seconds: null, characters: null, [unit === 'second' ? 'seconds' : 'characters']: quantity }
  const unitCost = speechCostOf(model, quantities)
  if (unitCost !== null) return unitCost
  return speechCostOf(model, { seconds: findQuantity('second'), characters: findQuantity('character') }) === null
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
  const sums = new Map<string, CostItem>()
  for (const item of [...items, ...extraItems]) {
    const key = JSON.stringify([item.product, item.model, item.unit])
    const sum = sums.get(key)
    const cost = sum === undefined ? item.cost : addCosts(sum.cost, item.cost)
    sums.set(key, { ...item, quantity: item.quantity + (sum?.quantity ?? 0), cost })
  }
  return [...sums.values()]
}

export type CostColumns = Pick<CallRow, 'cost_voice' | 'cost_llm' | 'cost_gross' | 'cost_total' | 'cost_breakdown'>

/**
 * Calculates the costs of a call by part, in millionths of a US dollar, with the reseller's markup on the total. If a call
 * already has costs, the current markup applies only to new items.
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
  const isKnown = addedCost !== null && previousCosts.cost_total !== null
  return {
    cost_llm,
    cost_voice,
    cost_gross,
    cost_total: isKnown ? (previousCosts.cost_total ?? 0) + Math.round(addedCost * (1 + markupPercent / 100)) : null,
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

/** Adds two costs. Rounding to six decimals hides errors of binary fractions. */
function addCosts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round((a + b) * 1e6) / 1e6
}
