import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The tests to run; the fast ones without TIER. `full`: whole servers, browsers and fresh clones. `acceptance`: kills, outages,
 * attacks, load and every page. `postgres`: storage and concurrency on PostgreSQL. `postgres-all`: all server tests there.
 */
const tier = process.env.TIER

/** The file of an additional JSON report. */
const report = process.env.TEST_REPORT

const END_TO_END = 'test/e2e/**/*.test.ts'

/** The end-to-end tests of the fast tier: conversations over HTTP, which need all parts. */
const SMOKE = ['test/e2e/chats.test.ts']

/** Slow tests in folders of the fast tier, which run in the full tier. */
const SLOW = [
  'test/bootstrap.test.ts',
  'test/test-command.test.ts',
  'packages/server/src/integrations/code/code-{isolation,runner}.test.ts',
  'packages/server/src/integrations/documents/document-preparer.test.ts',
]

/** Tests of the embedded database file and its guards. */
const EMBEDDED_ONLY = ['**/sqlite-*.test.ts', '**/lock-file.test.ts']

/** Tests of the PostgreSQL adapters. */
const POSTGRES_ONLY = ['**/postgres-*.test.ts']

/** Tests of stores, jobs, leases and takeover, which depend on the database. */
const STORAGE = [
  'packages/server/src/{kernel,platform}/**/*.test.ts',
  'packages/server/src/features/{chats,concurrency,engines,webhooks}/**/*.test.ts',
  'packages/server/src/features/calls/{records,states}/**/*.test.ts',
  'packages/server/src/features/knowledge/{ingestion,retrieval,sources}/**/*.test.ts',
  'packages/server/src/features/**/*-store.test.ts',
  'packages/server/src/features/engine-versions.test.ts',
]

const GENERATED_REQUESTS = 'test/full/generated-requests.test.ts'

/** The setup puts the address of a PostgreSQL into the environment, where temporary databases are then created. */
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
          'bench/**/*.test.ts',
          ...SMOKE,
        ],
        exclude: [...POSTGRES_ONLY, ...SLOW],
        testTimeout: 60_000,
      }
  }
}

const { exclude = [], ...tests } = testsOf(tier)

/** Small files with long tests. Started last, one of them would keep a single worker busy. */
const LONG = /\/(?:generated-requests|clean-clone|access-allowed|access|webhook-faults)\.test\.ts$/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [
      ...sorted.filter(({ moduleId }) => LONG.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !LONG.test(moduleId)),
    ]
  }
}

export default defineConfig({
  test: {
    ...tests,
    exclude: [...configDefaults.exclude, ...exclude],
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: 'testing/property-seed.ts',
    // The default leaves one processor free, which on two of them means no parallelism at all.
    maxWorkers: '100%',
    hookTimeout: 60_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
})
