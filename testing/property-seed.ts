import fc from 'fast-check'

/** `SEED` repeats a run of the property tests. Without it, every run tries other values. */
const { SEED } = process.env
if (SEED !== undefined) fc.configureGlobal({ seed: Number(SEED) })
