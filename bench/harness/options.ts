import { parseArgs } from 'node:util'

const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

export interface BenchOptions {
  /** A short run that only proves that the bench works. */
  readonly smoke: boolean
  /** Writes a CPU profile of the server and prints what costs most. */
  readonly profile: boolean
  /** Also measures what installs packages, which takes long. */
  readonly clean: boolean
  /** Measures on this database alone; null: on all that the bench knows and the machine has. */
  readonly database: DatabaseName | null
}

/** Reads the options that all benches share. Those of other benches are ignored, since one command runs them all. */
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

function readDatabase(given: unknown): DatabaseName | null {
  if (given === undefined) return null
  const known = DATABASES.find((name) => name === given)
  if (known === undefined) throw new Error(`--database is one of: ${DATABASES.join(', ')}.`)
  return known
}
