import { readFileSync } from 'node:fs'
import type { ModelUsage } from '@parley/engine/ports'
import { z } from 'zod'
import builtInPrices from './prices.json' with { type: 'json' }

const Amount = z.number().nonnegative().finite()

/** Schema of dated list prices in USD per million tokens, by `provider/model`. */
export const Prices = z.object({
  asOf: z.iso.date(),
  currency: z.literal('USD'),
  per: z.literal('million tokens'),
  models: z.record(
    z.string().min(1).max(200),
    // Cached input defaults to the input price.
    z.object({ input: Amount, cachedInput: Amount.optional(), output: Amount }),
  ),
  /**
   * Prices in USD per minute of audio or per million characters, as published, or as estimated by makers that charge for
   * tokens.
   */
  speech: z
    .record(
      z.string().min(1).max(200),
      z.union([z.strictObject({ minute: Amount }), z.strictObject({ millionCharacters: Amount })]),
    )
    .optional(),
})
export type Prices = z.infer<typeof Prices>

/** Suffixes of a listed name: a dated snapshot or `-latest` of the same model. Other variants have other prices. */
const SNAPSHOT_SUFFIX = /^[-@](?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/

/**
 * Loads the operator's price table, which replaces the built-in table. A name ending in `*` covers every model with this
 * prefix. For an invalid file, throws an error with one line per mistake.
 */
export function loadPrices(path: string | undefined): Prices {
  if (path === undefined) return Prices.parse(builtInPrices)
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(
      `The prices file cannot be read as JSON: ${error instanceof Error ? error.message : 'unknown reason'}`,
    )
  }
  const result = Prices.safeParse(content)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || '(file)'}: ${issue.message}`)
  throw new Error(`The prices file is not valid.\n${problems.join('\n')}`)
}

/**
 * Calculates the cost of a generation in USD, to 6 decimals. Returns null if the price or usage is unknown. Offline models are
 * free.
 */
export function calculateModelCost(prices: Prices, model: string, usage: ModelUsage | null): number | null {
  if (isOfflineModel(model)) return 0
  const price = getModelPrice(prices, model)
  if (price === null || usage === null) return null
  const uncachedTokens = Math.max(0, usage.inputTokens - usage.cachedInputTokens)
  const microDollars =
    uncachedTokens * price.input + usage.cachedInputTokens * price.cachedInput + usage.outputTokens * price.output
  // Tokens times the price per million tokens equals millionths of a dollar, so rounding here rounds to 6 decimals.
  return Math.round(microDollars) / 1_000_000
}

const isOfflineModel = (model: string): boolean => model === 'offline' || model.startsWith('offline/')

/** Price in USD per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly cachedInput: number
  readonly output: number
}

/** Returns the price of a model, or null if it is unknown. Offline models are free. */
export function getModelPrice(prices: Prices, model: string): ModelPrice | null {
  if (isOfflineModel(model)) return { input: 0, cachedInput: 0, output: 0 }
  const price = getListPrice(prices, model)
  return price === null ? null : { ...price, cachedInput: price.cachedInput ?? price.input }
}

/** Returns the models with their own price, in the order of the table. */
export const listPricedModels = ({ models }: Prices): readonly string[] =>
  Object.keys(models).filter((name) => !name.endsWith('*'))

/** Amount of speech. Null means that the amount was not measured. */
export interface SpeechUsage {
  readonly seconds: number | null
  readonly characters: number | null
}

/**
 * Calculates the cost of speech in USD, to 6 decimals. Returns null if the price or amount is unknown. Built-in and browser
 * speech is free.
 */
export function calculateSpeechCost(
  prices: Prices,
  model: string,
  { seconds, characters }: SpeechUsage,
): number | null {
  if (model.startsWith('builtin/') || model === 'browser' || model.startsWith('browser/')) return 0
  const table = prices.speech ?? {}
  const price = table[findMatchingName(table, model)]
  if (price === undefined) return null
  const quantity = 'minute' in price ? seconds : characters
  if (quantity === null) return null
  const microDollars =
    'minute' in price ? (quantity / 60) * price.minute * 1_000_000 : quantity * price.millionCharacters
  return Math.round(microDollars) / 1_000_000
}

/** Cached prices by model name, for each price table. */
const priceCache = new WeakMap<Prices, Map<string, Prices['models'][string] | null>>()
/** Maximum number of cached prices per table, because customers choose the model names. */
const MAX_CACHED_PRICES = 1_000

function getListPrice(prices: Prices, model: string): Prices['models'][string] | null {
  const cachedPrices = priceCache.get(prices) ?? new Map<string, Prices['models'][string] | null>()
  priceCache.set(prices, cachedPrices)
  const price = cachedPrices.get(model)
  if (price !== undefined) return price
  if (cachedPrices.size >= MAX_CACHED_PRICES) cachedPrices.clear()
  const matchingPrice = findPrice(prices, model)
  cachedPrices.set(model, matchingPrice)
  return matchingPrice
}

function findPrice(prices: Prices, model: string): Prices['models'][string] | null {
  return prices.models[findMatchingName(prices.models, model)] ?? null
}

/** Returns the longest name in a table that covers a model, or '' if there is none. */
function findMatchingName(table: Readonly<Record<string, unknown>>, model: string): string {
  let longestName = ''
  for (const name of Object.keys(table)) {
    if (name.length > longestName.length && coversModel(name, model)) longestName = name
  }
  return longestName
}

function coversModel(name: string, model: string): boolean {
  if (name.endsWith('*')) return model.startsWith(name.slice(0, -1))
  return model === name || (model.startsWith(name) && SNAPSHOT_SUFFIX.test(model.slice(name.length)))
}
