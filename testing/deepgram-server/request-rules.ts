type Parameters = URLSearchParams
type Rule = (value: string, parameters: Parameters) => boolean

const isBetween =
  (minimum: number, maximum: number): Rule =>
  (value) =>
    value !== '' && Number(value) >= minimum && Number(value) <= maximum
const isOneOf =
  (...values: readonly string[]): Rule =>
  (value) =>
    values.includes(value)
const matches =
  (pattern: RegExp): Rule =>
  (value) =>
    pattern.test(value)
const isFlag = isOneOf('true', 'false')
/** Whether a speed is a multiple of 0.05 within the bounds. */
const isSpeed =
  (minimum: number): Rule =>
  (value, parameters) =>
    isBetween(minimum, 1.5)(value, parameters) && Number.isInteger(Math.round(Number(value) * 2_000) / 100)

const EXPRESSIVITIES = ['-2', '-1', '0', '1', '2']
const FLUX_LANGUAGES = ['en', 'es', 'fr', 'de', 'hi', 'ru', 'pt', 'ja', 'it', 'nl']

/** Bounds of the settings that Flux accepts in the URL and in `Configure`. */
const THRESHOLD_RULES: Readonly<Record<string, Rule>> = {
  eot_threshold: isBetween(0.5, 1),
  eager_eot_threshold: isBetween(0.3, 0.9),
  eot_timeout_ms: isBetween(500, 60_000),
}

const AUDIO_RULES = { encoding: isOneOf('linear16'), mip_opt_out: isFlag }

/** The parameters that the server accepts for each path. Others are rejected. */
const RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  '/v1/listen': {
    ...AUDIO_RULES,
    model: matches(/^nova-/),
    sample_rate: isOneOf('8000', '16000'),
    language: matches(/^[a-z]{2,5}(?:-[A-Za-z0-9]+)?$/),
    channels: isOneOf('1'),
    interim_results: isFlag,
    endpointing: (value, parameters) => value === 'false' || isBetween(1, 60_000)(value, parameters),
    utterance_end_ms: (value, parameters) => Number(value) >= 1_000 && parameters.get('interim_results') === 'true',
    smart_format: isFlag,
    punctuate: isFlag,
    keyterm: (_, parameters) => /^nova-3/.test(parameters.get('model') ?? ''),
    keywords: (value, parameters) => /^nova-2/.test(parameters.get('model') ?? '') && !/\s/.test(value),
  },
  '/v2/listen': {
    ...AUDIO_RULES,
    ...THRESHOLD_RULES,
    model: isOneOf('flux-general-en', 'flux-general-multi'),
    sample_rate: isOneOf('8000', '16000'),
    keyterm: () => true,
    language_hint: (value, parameters) =>
      parameters.get('model') === 'flux-general-multi' && FLUX_LANGUAGES.includes(value),
  },
  '/v1/speak': {
    ...AUDIO_RULES,
    model: matches(/^aura-/),
    sample_rate: isOneOf('8000', '16000', '24000', '32000', '48000'),
    speed: isSpeed(0.7),
  },
  '/v2/speak': {
    ...AUDIO_RULES,
    model: matches(/^flux-[a-z]+-[a-z]{2}$/),
    sample_rate: isOneOf('8000', '16000', '24000', '32000', '48000'),
    speed: isSpeed(0.5),
    expressivity: isOneOf(...EXPRESSIVITIES),
  },
}
const REQUIRED = ['model', 'encoding', 'sample_rate']

/** Returns the status for an invalid request, or null. */
export function findRequestProblem({ pathname, searchParams }: URL): 400 | 404 | null {
  const rules = RULES[pathname]
  if (rules === undefined) return 404
  if (REQUIRED.some((name) => !searchParams.has(name))) return 400
  const isValid = [...searchParams].every(([name, value]) => rules[name]?.(value, searchParams) === true)
  return isValid ? null : 400
}

/** Whether Flux accepts a `Configure` message. */
export function isValidConfiguration(message: Readonly<Record<string, unknown>>, parameters: URLSearchParams): boolean {
  const { type: _, thresholds = {}, keyterms = [], language_hints: hints = [], ...rest } = message
  const areThresholdsValid = Object.entries(Object(thresholds)).every(
    ([name, value]) => THRESHOLD_RULES[name]?.(String(value), parameters) === true,
  )
  const isKnownLanguage = (hint: unknown): boolean => FLUX_LANGUAGES.includes(String(hint))
  const areHintsValid =
    Array.isArray(hints) &&
    (hints.length === 0 || parameters.get('model') === 'flux-general-multi') &&
    hints.every(isKnownLanguage)
  return areThresholdsValid && areHintsValid && Array.isArray(keyterms) && Object.keys(rest).length === 0
}
