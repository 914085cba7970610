import type { ChatCost } from '@parley/contract/chat'

/** Usage of one generation, as stored with a turn. `cost` is null if the price is unknown. */
export interface StoredUsage {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cost: number | null
}

/** Sums the cost of turns by model and adds the reseller's markup. The total is null if any price is unknown. */
export function computeChatCost(turns: readonly { readonly usage: string }[], markupPercent: number): ChatCost {
  const usageByModel = new Map<string, StoredUsage>()
  for (const turn of turns) {
    if (turn.usage === '[]') continue
    for (const usage of JSON.parse(turn.usage) as StoredUsage[]) {
      const total = usageByModel.get(usage.model)
      usageByModel.set(usage.model, total === undefined ? usage : addUsage(total, usage))
    }
  }
  const costs = [...usageByModel.values()].map((item) => item.cost)
  const subtotal = costs.reduce<number | null>(addCost, 0)
  return {
    total: subtotal === null ? null : addCost(subtotal, (subtotal * markupPercent) / 100),
    currency: 'USD',
    items: [...usageByModel.values()].map((usage) => ({ product: 'llm', ...usage })),
  }
}

function addUsage(a: StoredUsage, b: StoredUsage): StoredUsage {
  return {
    model: a.model,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cost: addCost(a.cost, b.cost),
  }
}

/** Adds two costs and rounds the sum to six decimals to remove floating-point errors. */
function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round((a + b) * 1e6) / 1e6
}
