import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A customer system that answers every request immediately with the same JSON. Prints its URL. */
const RESPONSE = JSON.stringify({ day: 'Thursday', times: ['09:00', '10:30', '14:15'] })

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': RESPONSE.length })
    response.end(RESPONSE)
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
