import { parseArgs } from 'node:util'

const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

export interface BenchOptions {
  /** Whether to run a short test that only proves that the benchmark works. */
  readonly smoke: boolean
  /** Whether to write a CPU profile of the server and print the most expensive functions. */
  readonly profile: boolean
  /** Whether to include slow measurements that install packages. */
  readonly clean: boolean
  /** Database to measure on. If null, all supported databases on the machine are measured. */
  readonly database: DatabaseName | null
}

/**
 * Reads the options that all benchmarks share. Options of individual benchmarks are ignored, since one command runs all
 * benchmarks.
 */
export function readOptions(): BenchOptions {
  const { values } = parseArgs({
    options: {
      smoke: { type: 'boolean' },
      profile: { type: 'boolean' },
      clean: { type: 'boolean' },
      database: { type: 'string' },
    },
    strict: false,
  })
  return {
    smoke: values.smoke === true,
    profile: values.profile === true,
    clean: values.clean === true,
    database: readDatabase(values.database),
  }
}

function readDatabase(option: unknown): DatabaseName | null {
  if (option === undefined) return null
  const database = DATABASES.find((name) => name === option)
  if (database === undefined) throw new Error(`--database is one of: ${DATABASES.join(', ')}.`)
  return database
}
