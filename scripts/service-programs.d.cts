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

/** The PostgreSQL of this machine that tests can run; null when there is none of version 15 or newer. */
export function findPostgres(): PostgresPrograms | null

/** The Redis of this machine that tests can run; null when there is none of version 6 or newer. */
export function findRedis(): RedisProgram | null
