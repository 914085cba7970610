/** A folder with `postgres` and `initdb`, and their version (`15.4`). */
export interface PostgresPrograms {
  readonly folder: string
  readonly version: string
}

/** The program and its version (`7.0.15`). */
export interface RedisProgram {
  readonly file: string
  readonly version: string
}

/** The program and its version (`140.0.7339.16`). */
export interface ChromiumProgram {
  readonly file: string
  readonly version: string
}

/** The Chromium of this machine that tests can run; null when there is none of version 120 or newer. */
export function findChromium(): ChromiumProgram | null

/** The PostgreSQL of this machine that tests can run; null when there is none of version 15 or newer. */
export function findPostgres(): PostgresPrograms | null

/** The Redis of this machine that tests can run; null when there is none of version 6 or newer. */
export function findRedis(): RedisProgram | null
