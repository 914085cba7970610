import { lineAt, maskSource } from './source-text.ts'

/** Limits a kind of side effect to certain places. `allowed` contains path prefixes. */
export interface LocationRule {
  readonly what: string
  readonly pattern: RegExp
  readonly allowed: readonly string[]
}

const SERVER = 'packages/server/src/'
const SDK_CLOCK = 'packages/sdk/src/clock.ts'
const DASHBOARD_CLOCK = 'packages/dashboard/src/lib/clock.ts'

const LOCATION_RULES: readonly LocationRule[] = [
  {
    what: 'the environment is read by config.ts',
    pattern: /\bprocess\s*\.\s*env\b/g,
    allowed: [`${SERVER}config.ts`, 'scripts/', 'bench/', 'test/', 'testing/', 'vitest.config.ts'],
  },
  {
    what: 'the time of day comes from a Clock',
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bnew\s+Date\b(?!\s*\()|\bperformance\s*\.\s*now\b/g,
    allowed: [`${SERVER}platform/system.ts`, SDK_CLOCK, DASHBOARD_CLOCK, 'scripts/', 'bench/', 'test/', 'testing/'],
  },
  {
    what: 'timers come from a Clock',
    pattern: /\b(?:setTimeout|setInterval|setImmediate)\b/g,
    allowed: [`${SERVER}platform/system.ts`, SDK_CLOCK, DASHBOARD_CLOCK, 'scripts/', 'bench/', 'test/', 'testing/'],
  },
  {
    what: 'randomness is handed in',
    pattern:
      /\bMath\s*\.\s*random\b|(?<![.\w])(?:randomUUID|randomBytes|getRandomValues)\b(?!\s*:)|\bcrypto\s*\.\s*random\w+/g,
    // Keys, tokens and passwords are generated where they are stored. Other code receives its random source.
    allowed: [
      `${SERVER}platform/system.ts`,
      `${SERVER}platform/secrets/`,
      `${SERVER}features/access/`,
      `${SERVER}composition/`,
      DASHBOARD_CLOCK,
      'scripts/',
      'bench/',
      'test/',
      'testing/',
    ],
  },
]

/** Returns every violation as `path:line: what`. Ignores comments and string literals. */
export function misplacedUses(path: string, source: string, rules: readonly LocationRule[] = LOCATION_RULES): string[] {
  const code = maskSource(source, { strings: true })
  return rules
    .filter(({ allowed }) => !allowed.some((prefix) => path.startsWith(prefix)))
    .flatMap(({ what, pattern }) =>
      [...code.matchAll(pattern)].map((match) => `${path}:${lineAt(source, match.index)}: ${what}`),
    )
}
