import type { PrivatePostgres } from '../../testing/private-postgres.ts'
import { type ParleyServer, startParley } from './parley-server.ts'

/** Nodes of one installation. */
export interface BenchCluster extends AsyncDisposable {
  readonly nodes: readonly ParleyServer[]
  /** Starts another node. */
  add(): Promise<ParleyServer>
}

export interface ClusterOptions {
  readonly postgres: PrivatePostgres
  /** What connects the nodes; PostgreSQL itself when absent. */
  readonly redisUrl: string | null
  readonly modelUrl: string
  readonly nodes: number
}

/** Starts nodes on a new database, one after the other. */
export async function startCluster({ postgres, redisUrl, modelUrl, nodes }: ClusterOptions): Promise<BenchCluster> {
  const databaseUrl = await postgres.createDatabase()
  const owned = new AsyncDisposableStack()
  const started: ParleyServer[] = []
  const add = async (): Promise<ParleyServer> => {
    const node = owned.use(await startParley({ modelUrl, databaseUrl, redisUrl }))
    started.push(node)
    return node
  }
  try {
    for (let index = 0; index < nodes; index += 1) await add()
  } catch (error) {
    await owned.disposeAsync()
    throw error
  }
  return { nodes: started, add, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
