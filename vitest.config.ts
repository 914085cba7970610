import { configDefaults, defineConfig } from 'vitest/config'

/**
 * Fast tier unless TIER says otherwise. `full` adds generated requests, kills and whatever needs system packages; `postgres`
 * is the feature suite once more, on PostgreSQL.
 */
const tier = process.env.TIER

/** Where a JSON report goes, when one is wanted beside the printed one. */
const report = process.env.TEST_REPORT

const END_TO_END = 'test/e2e/**/*.test.ts'

const FAST = [
  'packages/*/src/**/*.test.ts',
  'test/*.test.ts',
  'test/architecture/*.test.ts',
  END_TO_END,
  'testing/**/*.test.ts',
]

/** Stand beside what they are about, but take too long for the fast tier: they belong to the full one. */
const SLOW = [
  'test/e2e/conformance/*.test.ts',
  'packages/server/src/integrations/code/code-{memory,time}.test.ts',
  'packages/server/src/integrations/documents/document-preparer.test.ts',
]

/** About the file of the embedded database and what guards it. */
const EMBEDDED_ONLY = ['**/sqlite-*.test.ts', '**/lock-file.test.ts']

/** About the adapters of PostgreSQL, which only that tier has. */
const POSTGRES_ONLY = ['**/postgres-*.test.ts']

/** What differs between the tiers. Temporary databases follow the address that the setup of `postgres` puts into the environment. */
function settingsOf(name: string | undefined) {
  if (name === 'full') return { include: ['test/full/**/*.test.ts', ...SLOW], testTimeout: 300_000 }
  if (name !== 'postgres') {
    return { include: FAST, exclude: [...configDefaults.exclude, ...POSTGRES_ONLY, ...SLOW], testTimeout: 60_000 }
  }
  return {
    include: ['packages/server/src/**/*.test.ts', END_TO_END, 'test/full/generated-requests.test.ts'],
    exclude: [...configDefaults.exclude, ...EMBEDDED_ONLY, 'packages/server/src/integrations/**'],
    globalSetup: 'testing/postgres-tier.ts',
    testTimeout: 60_000,
  }
}

export default defineConfig({
  test: {
    ...settingsOf(tier),
    isolate: false,
    setupFiles: 'testing/property-seed.ts',
    // The default leaves one processor free, which on two of them means no parallelism at all.
    maxWorkers: '100%',
    hookTimeout: 60_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
})
