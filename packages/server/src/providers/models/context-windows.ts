/**
 * Context windows in tokens as the makers published them by 2025-12-01, by the beginning of the model's own name.
 * A model that is not listed has no known window: the history is then trimmed by the engine's own default.
 */
const CONTEXT_WINDOWS: readonly (readonly [prefix: string, tokens: number])[] = [
  ['gpt-5-chat', 128_000],
  ['gpt-5', 400_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4-32k', 32_768],
  ['gpt-4-0', 8_192],
  ['gpt-3.5-turbo', 16_385],
  ['chatgpt-4o', 128_000],
  ['o1-mini', 128_000],
  ['o1-preview', 128_000],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4-mini', 200_000],
  ['claude-3', 200_000],
  ['claude-sonnet-4', 200_000],
  ['claude-opus-4', 200_000],
  ['claude-haiku-4', 200_000],
  ['gemini-2.5-pro', 1_048_576],
  ['gemini-2.5-flash', 1_048_576],
  ['gemini-2.0-flash', 1_048_576],
]

/** The window of a model by the provider's own name for it (a maker's prefix such as `openai/` may stand before it). */
export function contextTokensOf(model: string): number | undefined {
  const bare = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  if (bare === 'gpt-4') return 8_192
  let best: readonly [string, number] | undefined
  for (const entry of CONTEXT_WINDOWS) {
    if (bare.startsWith(entry[0]) && entry[0].length > (best?.[0].length ?? 0)) best = entry
  }
  return best?.[1]
}
