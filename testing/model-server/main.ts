import { parseArgs } from 'node:util'
import { startModelServer } from './model-server.ts'
import { createStubReply } from './stub-reply.ts'

/**
 * Runs the server as a process for benchmarks: `node testing/model-server/main.ts --words 100 --pace-ms 0`. Prints one JSON
 * line with its URL. Every request gets the same answer. Exits on SIGTERM or SIGINT.
 */
const { values } = parseArgs({
  options: { words: { type: 'string', default: '100' }, 'pace-ms': { type: 'string', default: '0' } },
})
const server = await startModelServer({ keepRequests: false })
server.defaultReply = createStubReply({ words: Number(values.words), paceMs: Number(values['pace-ms']) })
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)

const stop = (): void => {
  void server.close().then(() => process.exit(0))
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
