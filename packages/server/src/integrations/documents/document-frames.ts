import type { Duplex } from 'node:stream'

/** A message between the server and a process that reads documents: a value that JSON can say, and bytes beside it. */
export interface Frame<Value> {
  readonly value: Value
  readonly bytes: Uint8Array
}

/** Two lengths: of the value and of the bytes. */
const HEAD_BYTES = 8

/** More than any document or answer has; a longer message is a broken one. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024

const NO_BYTES = new Uint8Array(0)

/** Sends a message. The bytes are not copied: they must not change until they have been sent. */
export function sendFrame(channel: Duplex, value: unknown, bytes: Uint8Array = NO_BYTES): void {
  const text = Buffer.from(JSON.stringify(value))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(text.byteLength, 0)
  head.writeUInt32LE(bytes.byteLength, 4)
  channel.cork()
  channel.write(head)
  channel.write(text)
  if (bytes.byteLength > 0) channel.write(bytes)
  channel.uncork()
}

/** Calls back with every message that arrives. A message that cannot be one destroys the channel. */
export function receiveFrames<Value>(channel: Duplex, received: (frame: Frame<Value>) => void): void {
  let parts: Buffer[] = []
  let length = 0
  let wanted = HEAD_BYTES
  channel.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.byteLength
    while (length >= wanted) {
      const buffer = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length)
      parts = [buffer]
      const textBytes = buffer.readUInt32LE(0)
      const end = HEAD_BYTES + textBytes + buffer.readUInt32LE(4)
      if (end > MAX_FRAME_BYTES) {
        channel.destroy()
        return
      }
      wanted = end
      if (length < end) return
      const value = JSON.parse(buffer.toString('utf8', HEAD_BYTES, HEAD_BYTES + textBytes)) as Value
      const bytes = new Uint8Array(buffer.subarray(HEAD_BYTES + textBytes, end))
      parts = [buffer.subarray(end)]
      length -= end
      wanted = HEAD_BYTES
      received({ value, bytes })
    }
  })
}
