import type { ChatCost } from '@parley/contract/chat'

/** Usage of one generation, as turns store it. `cost` is null where the price is not known. */
export interface StoredUsage {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cost: number | null
}

/**
 * Adds up what the turns of a chat cost, by model, and the provider's markup on the total; a price that is not known makes
 * the total unknown.
 */
export function chatCost(turns: readonly { readonly usage: string }[], markupPercent: number): ChatCost {
  const items = new Map<string, StoredUsage>()
  for (const turn of turns) {
    if (turn.usage === '[]') continue
    for (const usage of JSON.parse(turn.usage) as StoredUsage[]) {
      const sum = items.get(usage.model)
      items.set(usage.model, sum === undefined ? usage : appendUsage(sum, usage))
    }
  }
  const costs = [...items.values()].map((item) => item.cost)
  const sum = costs.reduce<number | null>(addCost, 0)
  return {
    total: sum === null ? null : addCost(sum, (sum * markupPercent) / 100),
    currency: 'USD',
    items: [...items.values()].map((usage) => ({ product: 'llm', ...usage })),
  }
}

function appendUsage(a: StoredUsage, b: StoredUsage): StoredUsage {
  return {
    model: a.model,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cost: addCost(a.cost, b.cost),
  }
}

/** Six decimals: sums of prices must not show the error of binary fractions. */
function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round((a + b) * 1e6) / 1e6
}
