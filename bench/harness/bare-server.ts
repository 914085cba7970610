import { readFileSync } from 'node:fs'
import Fastify from 'fastify'

/**
 * Bare Fastify routes that return predefined bytes, which measures the cost of the HTTP framework alone. Usage: `bare-server.ts
 * <file>` with a JSON file of `{method, path, body}` routes. Prints its URL.
 */
interface BareRoute {
  readonly method: 'GET' | 'PATCH'
  readonly path: string
  readonly body: string
}

const routes = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BareRoute[]
const fastify = Fastify({ logger: false })
for (const { method, path, body } of routes) {
  fastify.route({
    method,
    url: path,
    handler: async (_request, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8')
      return await reply.send(body)
    },
  })
}
const url = await fastify.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.once('SIGTERM', () => process.exit(0))
