import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { runInThisContext } from 'node:vm'

/** The function `pick` of the guides, answered by this process: starting Node for each field takes most of a test's time. */
export interface PickServer extends AsyncDisposable {
  /** The definition for a shell. */
  readonly definition: string
}

export async function startPickServer(): Promise<PickServer> {
  const server = createServer(async (request, response) => {
    const expression = `(body) => JSON.parse(body).${request.headers['x-expression']}`
    try {
      const value: unknown = runInThisContext(expression)(await text(request))
      response.end(`${typeof value === 'string' ? value : inspect(value)}\n`)
    } catch (error) {
      response.end(`${error}\n`)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    definition: `pick() { curl -sS --data-binary @- -H "X-Expression: $1" http://127.0.0.1:${port}; }`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
