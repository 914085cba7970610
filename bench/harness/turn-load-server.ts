import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { Agent } from 'undici'
import { TURNS_PER_SESSION } from './measure-turns.ts'
import { type BenchChat, buildParleyTurn } from './parley-turn.ts'
import { calculatePercentile, roundStat } from './statistics.ts'
import { runStreamedTurn } from './streamed-turn.ts'

/**
 * Clients in a separate process that send turns to nodes: `POST` a `TurnLoad`, receive `TurnLoadStats`. Each client runs one
 * conversation of ten turns after another and sends a message as soon as the previous turn is complete. Prints its URL.
 */
export interface TurnLoad {
  readonly nodes: readonly { readonly url: string; readonly authorization: string }[]
  /** Enough chats that none is used twice. */
  readonly chats: readonly BenchChat[]
  readonly clients: number
  readonly durationMs: number
  /** Whether each turn of a client goes to a different node than the previous turn. If false, all turns go to one node. */
  readonly roundRobin: boolean
}

export interface TurnLoadStats {
  readonly turns: number
  readonly turnsPerSecond: number
  readonly firstTokenP50Ms: number
  readonly totalP50Ms: number
  readonly totalP99Ms: number
}

const agent = new Agent()

async function runTurnLoad({ nodes, chats, clients, durationMs, roundRobin }: TurnLoad): Promise<TurnLoadStats> {
  const firstTokenTimes: number[] = []
  const totalTimes: number[] = []
  const remainingChats = chats.values()
  const startedAt = performance.now()
  const isTimeUp = (): boolean => performance.now() - startedAt >= durationMs
  const runClient = async (_: unknown, client: number): Promise<void> => {
    for (let nodeIndex = client; !isTimeUp(); ) {
      const chat = remainingChats.next().value
      if (chat === undefined) throw new Error(`${chats.length} chats were not enough.`)
      for (let turn = 0; turn < TURNS_PER_SESSION && !isTimeUp(); turn += 1) {
        const node = nodes[nodeIndex % nodes.length]
        if (node === undefined) throw new Error('The load has no nodes.')
        const times = await runStreamedTurn(agent, buildParleyTurn(node, chat))
        firstTokenTimes.push(times.firstTokenMs)
        totalTimes.push(times.totalMs)
        if (roundRobin) nodeIndex += 1
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, runClient))
  return {
    turns: totalTimes.length,
    turnsPerSecond: roundStat((totalTimes.length * 1000) / (performance.now() - startedAt)),
    firstTokenP50Ms: roundStat(calculatePercentile(firstTokenTimes, 0.5)),
    totalP50Ms: roundStat(calculatePercentile(totalTimes, 0.5)),
    totalP99Ms: roundStat(calculatePercentile(totalTimes, 0.99)),
  }
}

const server = createServer((request, response) => {
  json(request)
    .then((load) => runTurnLoad(load as TurnLoad))
    .then(
      (stats) => response.end(JSON.stringify(stats)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
