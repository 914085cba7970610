import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { OutboundError } from './guarded-agent.ts'

const decompressors: Readonly<Record<string, (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> =
  {
    gzip: promisify(gunzip),
    'x-gzip': promisify(gunzip),
    deflate: promisify(inflate),
    br: promisify(brotliDecompress),
  }

export interface BodyLimits {
  readonly maxBytes: number
  readonly contentLength: string | undefined
  readonly contentEncoding: string | undefined
}

/**
 * Reads and decompresses a response. Fails with `too-large` as soon as the announced, received or decompressed size exceeds the
 * limit, which destroys the stream and its connection.
 */
export async function readBody(stream: Readable, limits: BodyLimits): Promise<Buffer> {
  if (Number(limits.contentLength ?? 0) > limits.maxBytes) {
    // A destroyed stream still emits its error, which needs a listener.
    stream.on('error', () => undefined).destroy()
    throw createTooLargeError(limits.maxBytes)
  }
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > limits.maxBytes) throw createTooLargeError(limits.maxBytes)
    chunks.push(chunk)
  }
  return decompress(Buffer.concat(chunks), limits)
}

async function decompress(body: Buffer, { contentEncoding, maxBytes }: BodyLimits): Promise<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity' || body.length === 0) return body
  const decompressor = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined
  if (decompressor === undefined) throw new OutboundError('network', 'The response has an unknown encoding.')
  try {
    return await decompressor(body, { maxOutputLength: maxBytes })
  } catch (error) {
    // A RangeError means that the output is too large. Other errors mean that the data is broken.
    if (error instanceof RangeError) throw createTooLargeError(maxBytes)
    throw new OutboundError('network', 'The response could not be decompressed.')
  }
}

/** Creates the error for a response that exceeds its limit. */
export function createTooLargeError(maxBytes: number): OutboundError {
  return new OutboundError('too-large', `The response is larger than ${maxBytes} bytes.`)
}
