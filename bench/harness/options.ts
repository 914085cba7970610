import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** A short run that only proves that the bench works. */
  readonly smoke: boolean
  /** Writes a CPU profile of the server and prints what costs most. */
  readonly profile: boolean
  /** Also measures what installs packages, which takes long. */
  readonly clean: boolean
}

/** Reads the options that all benches share. Those of other benches are ignored, since one command runs them all. */
export function readOptions(): BenchOptions {
  const { values } = parseArgs({
    options: { smoke: { type: 'boolean' }, profile: { type: 'boolean' }, clean: { type: 'boolean' } },
    strict: false,
  })
  return { smoke: values.smoke === true, profile: values.profile === true, clean: values.clean === true }
}
