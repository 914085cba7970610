import { configDefaults, defineConfig } from 'vitest/config'

/**
 * Which tests run. Without TIER: the fast ones. `full`: whole servers, browsers and fresh clones. `acceptance`: kills, outages,
 * attacks and load. `postgres`: what storage or concurrency decides, on PostgreSQL. `postgres-all`: the whole suite of the server there.
 */
const tier = process.env.TIER

/** Where a JSON report goes, when one is wanted beside the printed one. */
const report = process.env.TEST_REPORT

const END_TO_END = 'test/e2e/**/*.test.ts'

/** The end-to-end tests of the fast tier: one conversation over HTTP shows that the parts fit together. */
const SMOKE = ['test/e2e/chats.test.ts']

/** Fast by their folder, slow by what they do: they run in the full tier. */
const SLOW = [
  'test/bootstrap.test.ts',
  'test/test-command.test.ts',
  'packages/server/src/integrations/code/code-{memory,runner,time}.test.ts',
  'packages/server/src/integrations/documents/document-preparer.test.ts',
]

/** Tests of the embedded database file and its guards. */
const EMBEDDED_ONLY = ['**/sqlite-*.test.ts', '**/lock-file.test.ts']

/** Tests of the PostgreSQL adapters. */
const POSTGRES_ONLY = ['**/postgres-*.test.ts']

/** Stores, jobs, leases and takeover: where the database decides. */
const STORAGE = [
  'packages/server/src/{kernel,platform}/**/*.test.ts',
  'packages/server/src/features/{chats,concurrency,engines,webhooks}/**/*.test.ts',
  'packages/server/src/features/calls/{records,states}/**/*.test.ts',
  'packages/server/src/features/knowledge/{ingestion,retrieval,sources}/**/*.test.ts',
  'packages/server/src/features/**/*-store.test.ts',
  'packages/server/src/features/engine-versions.test.ts',
]

const GENERATED_REQUESTS = 'test/full/generated-requests.test.ts'

/** Temporary databases are on PostgreSQL when the setup has put its address into the environment. */
const ON_POSTGRES = { globalSetup: 'testing/postgres-tier.ts', testTimeout: 60_000 }

function testsOf(name: string | undefined) {
  switch (name) {
    case 'full':
      return { include: ['test/full/**/*.test.ts', END_TO_END, ...SLOW], exclude: SMOKE, testTimeout: 300_000 }
    case 'acceptance':
      return { include: ['test/acceptance/**/*.test.ts', GENERATED_REQUESTS], testTimeout: 300_000 }
    case 'postgres':
      return { include: [...STORAGE, GENERATED_REQUESTS], exclude: EMBEDDED_ONLY, ...ON_POSTGRES }
    case 'postgres-all':
      return {
        include: ['packages/server/src/**/*.test.ts', END_TO_END, GENERATED_REQUESTS],
        exclude: [...EMBEDDED_ONLY, 'packages/server/src/integrations/**'],
        ...ON_POSTGRES,
      }
    default:
      return {
        include: [
          'packages/*/src/**/*.test.ts',
          'test/*.test.ts',
          'test/architecture/*.test.ts',
          'testing/**/*.test.ts',
          ...SMOKE,
        ],
        exclude: [...POSTGRES_ONLY, ...SLOW],
        testTimeout: 60_000,
      }
  }
}

const { exclude = [], ...tests } = testsOf(tier)

export default defineConfig({
  test: {
    ...tests,
    exclude: [...configDefaults.exclude, ...exclude],
    isolate: false,
    setupFiles: 'testing/property-seed.ts',
    // The default leaves one processor free, which on two of them means no parallelism at all.
    maxWorkers: '100%',
    hookTimeout: 60_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
})
