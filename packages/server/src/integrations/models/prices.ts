import { readFileSync } from 'node:fs'
import type { ModelUsage } from '@parley/engine/ports'
import { z } from 'zod'
import builtInPrices from './prices.json' with { type: 'json' }

const Amount = z.number().nonnegative().finite()

/** A dated table of list prices in USD per million tokens, by `provider/model`. */
export const Prices = z.object({
  asOf: z.iso.date(),
  currency: z.literal('USD'),
  per: z.literal('million tokens'),
  models: z.record(
    z.string().min(1).max(200),
    // Without a price of its own, cached input costs what input costs.
    z.object({ input: Amount, cachedInput: Amount.optional(), output: Amount }),
  ),
  /** In USD per minute of sound or per million characters, whichever the maker names; estimates of its own where it bills tokens. */
  speech: z
    .record(
      z.string().min(1).max(200),
      z.union([z.strictObject({ minute: Amount }), z.strictObject({ millionCharacters: Amount })]),
    )
    .optional(),
})
export type Prices = z.infer<typeof Prices>

/** What may follow a listed name: a dated snapshot or `-latest` of the same model. Other variants have other prices. */
const SNAPSHOT = /^[-@](?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/

/**
 * The operator's table, which replaces the built-in one as a whole. In it a name ending in `*` stands for every model that
 * begins so. Throws with one line per mistake when the file cannot be used: the start must stop then.
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

/** What a generation cost in USD, to 6 decimals. `null` when the price or the usage is unknown; offline costs nothing. */
export function costOf(prices: Prices, model: string, usage: ModelUsage | null): number | null {
  if (model === 'offline' || model.startsWith('offline/')) return 0
  const price = priceOf(prices, model)
  if (price === null || usage === null) return null
  const freshTokens = Math.max(0, usage.inputTokens - usage.cachedInputTokens)
  const micros =
    freshTokens * price.input +
    usage.cachedInputTokens * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output
  // A price per million tokens times tokens is millionths: rounding them is rounding to 6 decimals.
  return Math.round(micros) / 1_000_000
}

/** What was spoken or heard; `null`: not counted. */
export interface SpeechUsage {
  readonly seconds: number | null
  readonly characters: number | null
}

/**
 * What speech cost in USD, to 6 decimals. `null` when the price is unknown or what it is counted by; voices and ears of the
 * house and of browsers cost nothing.
 */
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

/** Names that were looked up; a table is read once and has its own. */
const knownPrices = new WeakMap<Prices, Map<string, Prices['models'][string] | null>>()
/** Of the names of one table: customers may invent any number. */
const MOST_KNOWN = 1_000

function priceOf(prices: Prices, model: string): Prices['models'][string] | null {
  const known = knownPrices.get(prices) ?? new Map<string, Prices['models'][string] | null>()
  knownPrices.set(prices, known)
  const price = known.get(model)
  if (price !== undefined) return price
  if (known.size >= MOST_KNOWN) known.clear()
  const found = findPrice(prices, model)
  known.set(model, found)
  return found
}

function findPrice(prices: Prices, model: string): Prices['models'][string] | null {
  return prices.models[findName(prices.models, model)] ?? null
}

/** The longest name of a table that stands for a model; '' when none does. */
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
