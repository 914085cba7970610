import { findPostgres, type PrivatePostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { findRedis, type PrivateRedis, startPrivateRedis } from '../../testing/private-redis.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'

export const hasPostgres = findPostgres() !== null
export const hasRedis = findRedis() !== null

/** Two nodes in separate processes that share a private database server. */
export interface Cluster extends AsyncDisposable {
  readonly postgres: PrivatePostgres
  /** Null if the nodes do not use Redis. */
  readonly redis: PrivateRedis | null
  readonly databaseUrl: string
  readonly nodes: readonly [RunningServer, RunningServer]
}

export interface ClusterOptions {
  readonly redis?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** Starts two nodes on one database. */
export async function startCluster({ redis: wantsRedis = false, env = {} }: ClusterOptions = {}): Promise<Cluster> {
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startPrivatePostgres())
  const redis = wantsRedis ? stack.use(await startPrivateRedis()) : null
  const databaseUrl = await postgres.createDatabase()
  const settings = {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'secret-key-of-a-cluster-0123456789abcdef',
    ...(redis !== null && { REDIS_URL: redis.url }),
    ...env,
  }
  const first = stack.use(await runServer({ env: settings }))
  const second = stack.use(await runServer({ env: settings }))
  const owned = stack.move()
  return {
    postgres,
    redis,
    databaseUrl,
    nodes: [first, second],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Polls until there is a result. Fails after a timeout. */
export async function eventually<Result>(
  what: string,
  timeoutMs: number,
  check: () => Promise<Result | null>,
  everyMs = 100,
): Promise<Result> {
  const endsAt = Date.now() + timeoutMs
  for (;;) {
    const result = await check()
    if (result !== null) return result
    if (Date.now() > endsAt) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
