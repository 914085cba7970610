import { defineConfig } from 'vitest/config'

/** Fast tier unless TIER=full: the full tier adds generated requests, kills and whatever needs system packages. */
const full = process.env.TIER === 'full'

/** Where a JSON report goes, when one is wanted beside the printed one. */
const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: full
      ? ['test/full/**/*.test.ts']
      : [
          'packages/*/src/**/*.test.ts',
          'test/*.test.ts',
          'test/architecture/*.test.ts',
          'test/e2e/**/*.test.ts',
          'testing/**/*.test.ts',
        ],
    isolate: false,
    // The default leaves one processor free, which on two of them means no parallelism at all.
    maxWorkers: '100%',
    testTimeout: full ? 300_000 : 20_000,
    hookTimeout: 60_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
})
