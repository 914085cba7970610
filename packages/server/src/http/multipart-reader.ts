import { AppError } from '../kernel/errors.ts'
import { type PartHeader, readPartHeader } from './part-headers.ts'

/** One part of a form. Its content is read to its end before the next part is asked for. */
export interface FormPart extends PartHeader {
  readonly content: AsyncGenerator<Uint8Array>
}

const MAX_HEADER_BYTES = 16 * 1024
const HEADER_END = Buffer.from('\r\n\r\n')
const CLOSING = Buffer.from('--')

/**
 * Parts of a `multipart/form-data` body (RFC 7578), read as they arrive: no more of the body is held than one chunk of it.
 * Throws `invalid_request` where the body is not what its header says. The source is let go of, however this ends.
 */
export async function* readMultipart(source: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<FormPart> {
  const reader = createReader(source)
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  try {
    await reader.skip(reader.readUntil(delimiter))
    while (!(await reader.startsWith(CLOSING))) {
      const header = readPartHeader(await reader.takeUntil(HEADER_END, MAX_HEADER_BYTES))
      if ('problem' in header) throw malformed(header.problem)
      const content = reader.readUntil(delimiter)
      yield { ...header, content }
      await reader.skip(content)
    }
    await reader.skip(reader.rest())
  } finally {
    await reader.release()
  }
}

function malformed(problem: string): AppError {
  return new AppError('invalid_request', `The body is not valid multipart/form-data: ${problem}.`)
}

/** Bytes of a source, taken in pieces that end where a delimiter begins. */
function createReader(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]()
  // A delimiter begins with the end of a line, and so may the body.
  let held: Buffer = Buffer.from('\r\n')

  /** Adds the next chunk to what is held; throws at the end of the body. */
  async function more(): Promise<void> {
    const next = await iterator.next()
    if (next.done === true) throw malformed('it ends before its closing delimiter')
    const { buffer, byteOffset, byteLength } = next.value
    const chunk = Buffer.from(buffer, byteOffset, byteLength)
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
  }

  async function* readUntil(delimiter: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = held.indexOf(delimiter)
      const safeEnd = at === -1 ? Math.max(0, held.length - delimiter.length + 1) : at
      const piece = held.subarray(0, safeEnd)
      held = held.subarray(at === -1 ? safeEnd : at + delimiter.length)
      if (piece.length > 0) yield piece
      if (at !== -1) return
      await more()
    }
  }

  async function* rest(): AsyncGenerator<Uint8Array> {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  }

  return {
    readUntil,
    rest,

    async startsWith(bytes: Buffer): Promise<boolean> {
      while (held.length < bytes.length) await more()
      return held.subarray(0, bytes.length).equals(bytes)
    },

    async takeUntil(delimiter: Buffer, limitBytes: number): Promise<Uint8Array> {
      const pieces: Uint8Array[] = []
      let sizeBytes = 0
      for await (const piece of readUntil(delimiter)) {
        sizeBytes += piece.length
        if (sizeBytes > limitBytes) throw malformed('the header of a part is too long')
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },

    async skip(pieces: AsyncIterable<Uint8Array>): Promise<void> {
      for await (const _piece of pieces);
    },

    async release(): Promise<void> {
      await iterator.return?.()
    },
  }
}
