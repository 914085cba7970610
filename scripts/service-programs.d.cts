/** Folder that contains `postgres` and `initdb`, and their version (`15.4`). */
export interface PostgresPrograms {
  readonly folder: string
  readonly version: string
}

/** Redis program and its version (`7.0.15`). */
export interface RedisProgram {
  readonly file: string
  readonly version: string
}

/** Program and its version (`140.0.7339.16`). */
export interface InstalledProgram {
  readonly file: string
  readonly version: string
}

/** Returns a Chromium that tests can run, or null if there is none of version 120 or later. */
export function findChromium(): InstalledProgram | null

/** Returns a Firefox that tests can control, or null if there is none of version 140 or later. */
export function findFirefox(): InstalledProgram | null

/** Returns a PulseAudio that provides tests with a silent loudspeaker, or null if there is none. */
export function findPulseAudio(): InstalledProgram | null

/** Returns a PostgreSQL that tests can run, or null if there is none of version 15 or later. */
export function findPostgres(): PostgresPrograms | null

/** Returns a Redis that tests can run, or null if there is none of version 6 or later. */
export function findRedis(): RedisProgram | null
