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
  /** URL of the Redis server that connects the nodes. If null, they use PostgreSQL. */
  readonly redisUrl: string | null
  readonly modelUrl: string
  readonly nodes: number
}

/** Starts nodes one after another on a new database. */
export async function startCluster({ postgres, redisUrl, modelUrl, nodes }: ClusterOptions): Promise<BenchCluster> {
  const databaseUrl = await postgres.createDatabase()
  const resources = new AsyncDisposableStack()
  const startedNodes: ParleyServer[] = []
  const addNode = async (): Promise<ParleyServer> => {
    const node = resources.use(await startParley({ modelUrl, databaseUrl, redisUrl }))
    startedNodes.push(node)
    return node
  }
  try {
    for (let index = 0; index < nodes; index += 1) await addNode()
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
  return { nodes: startedNodes, add: addNode, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
