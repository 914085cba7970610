import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Answers by name: TXT records, each in one or more parts. A name without an entry does not exist. */
export type TxtZone = Readonly<Record<string, readonly (readonly string[])[] | 'silent'>>

const HEADER_BYTES = 12
const TXT = 16
const INTERNET = 1
const RESPONSE_FLAGS = 0x8180
const NO_SUCH_NAME = 3
/** Pointer to the name in the question. */
const NAME_POINTER = 0xc00c

/** Starts a loopback name server that implements the part of the DNS protocol over UDP that TXT lookups require. */
export async function startDnsServer(zone: TxtZone) {
  const socket = createSocket('udp4')
  const queriedNames: string[] = []
  socket.on('message', (query, { address, port }) => {
    const { name, end } = readName(query)
    queriedNames.push(name)
    const records = zone[name.toLowerCase()]
    if (records !== 'silent') socket.send(createResponse(query.subarray(0, end + 4), records), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** Queried names, in order. */
    asked: queriedNames,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let offset = HEADER_BYTES
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += length + 1
  }
  return { name: labels.join('.'), end: offset + 1 }
}

function createResponse(question: Buffer, records: readonly (readonly string[])[] | undefined): Buffer {
  const header = Buffer.from(question)
  header.writeUInt16BE(RESPONSE_FLAGS | (records === undefined ? NO_SUCH_NAME : 0), 2)
  header.writeUInt16BE(records?.length ?? 0, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, ...(records ?? []).map(createRecord)])
}

function createRecord(parts: readonly string[]): Buffer {
  const data = Buffer.concat(
    parts.map((part) => Buffer.concat([Buffer.from([Buffer.byteLength(part)]), Buffer.from(part)])),
  )
  const header = Buffer.alloc(12)
  header.writeUInt16BE(NAME_POINTER, 0)
  header.writeUInt16BE(TXT, 2)
  header.writeUInt16BE(INTERNET, 4)
  header.writeUInt16BE(data.length, 10)
  return Buffer.concat([header, data])
}
