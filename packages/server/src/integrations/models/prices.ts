import { readFileSync } from 'node:fs'
import type { ModelUsage } from '@parley/engine/ports'
import { z } from 'zod'
import builtInPrices from './prices.json' with { type: 'json' }

const Amount = z.number().nonnegative().finite()

/** Dated list prices in USD per million tokens, by `provider/model`. */
export const Prices = z.object({
  asOf: z.iso.date(),
  currency: z.literal('USD'),
  per: z.literal('million tokens'),
  models: z.record(
    z.string().min(1).max(200),
    // Cached input has the price of input by default.
    z.object({ input: Amount, cachedInput: Amount.optional(), output: Amount }),
  ),
  /** In USD per minute of audio or per million characters, as published; the maker's estimates where it bills tokens. */
  speech: z
    .record(
      z.string().min(1).max(200),
      z.union([z.strictObject({ minute: Amount }), z.strictObject({ millionCharacters: Amount })]),
    )
    .optional(),
})
export type Prices = z.infer<typeof Prices>

/** Suffixes of a listed name: a dated snapshot or `-latest` of the same model. Other variants have other prices. */
const SNAPSHOT = /^[-@](?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/

/**
 * Loads the operator's table, which replaces the built-in one. A name ending in `*` covers every model with this prefix.
 * Throws with one line per mistake for an invalid file.
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
  const parsed = Prices.safeParse(content)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(file)'}: ${issue.message}`)
  throw new Error(`The prices file is not valid.\n${problems.join('\n')}`)
}

/** The cost of a generation in USD, to 6 decimals. `null` when price or usage is unknown; offline models are free. */
export function costOf(prices: Prices, model: string, usage: ModelUsage | null): number | null {
  if (model === 'offline' || model.startsWith('offline/')) return 0
  const price = priceOf(prices, model)
  if (price === null || usage === null) return null
  const freshTokens = Math.max(0, usage.inputTokens - usage.cachedInputTokens)
  const micros =
    freshTokens * price.input +
    usage.cachedInputTokens * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output
  // Prices per million tokens times tokens are millionths, so rounding them rounds to 6 decimals.
  return Math.round(micros) / 1_000_000
}

/** Amount of speech; `null`: not counted. */
export interface SpeechUsage {
  readonly seconds: number | null
  readonly characters: number | null
}

/** The cost of speech in USD, to 6 decimals. `null` when price or amount is unknown; built-in and browser speech is free. */
export function speechCostOf(prices: Prices, model: string, { seconds, characters }: SpeechUsage): number | null {
  if (model.startsWith('builtin/') || model === 'browser' || model.startsWith('browser/')) return 0
  const table = prices.speech ?? {}
  const price = table[findName(table, model)]
  if (price === undefined) return null
  const quantity = 'minute' in price ? seconds : characters
  if (quantity === null) return null
  const micros = 'minute' in price ? (quantity / 60) * price.minute * 1_000_000 : quantity * price.millionCharacters
  return Math.round(micros) / 1_000_000
}

/** Prices by looked-up name, per table. */
const knownPrices = new WeakMap<Prices, Map<string, Prices['models'][string] | null>>()
/** Limit of cached names, which customers choose. */
const MAX_KNOWN = 1_000

function priceOf(prices: Prices, model: string): Prices['models'][string] | null {
  const known = knownPrices.get(prices) ?? new Map<string, Prices['models'][string] | null>()
  knownPrices.set(prices, known)
  const price = known.get(model)
  if (price !== undefined) return price
  if (known.size >= MAX_KNOWN) known.clear()
  const found = findPrice(prices, model)
  known.set(model, found)
  return found
}

function findPrice(prices: Prices, model: string): Prices['models'][string] | null {
  return prices.models[findName(prices.models, model)] ?? null
}

/** The longest name of a table that covers a model; '' when none does. */
function findName(table: Readonly<Record<string, unknown>>, model: string): string {
  let best = ''
  for (const name of Object.keys(table)) {
    if (name.length > best.length && covers(name, model)) best = name
  }
  return best
}

function covers(name: string, model: string): boolean {
  if (name.endsWith('*')) return model.startsWith(name.slice(0, -1))
  return model === name || (model.startsWith(name) && SNAPSHOT.test(model.slice(name.length)))
}
