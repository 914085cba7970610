import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMultipart, readPartHeader } from './multipart-reader.ts'

const BOUNDARY = 'the-boundary'

async function* splitIntoChunks(body: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let offset = 0
  for (const size of sizes) {
    if (offset >= body.length) return
    yield body.subarray(offset, offset + size)
    offset += size
  }
  if (offset < body.length) yield body.subarray(offset)
}

async function readAll(body: Buffer | string, sizes: readonly number[] = []) {
  const parts: { name: string; filename: string | null; contentType: string | null; content: Buffer }[] = []
  for await (const { content, ...header } of readMultipart(splitIntoChunks(Buffer.from(body), sizes), BOUNDARY)) {
    const chunks: Uint8Array[] = []
    for await (const chunk of content) chunks.push(Buffer.from(chunk))
    parts.push({ ...header, content: Buffer.concat(chunks) })
  }
  return parts
}

const buildPart = (content: Buffer | string, header = 'Content-Disposition: form-data; name="a"') =>
  Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${header}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')])
const CLOSING_DELIMITER = Buffer.from(`--${BOUNDARY}--\r\n`)

/** Content similar to delimiters. */
const content = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        '\r\n-',
        '\r\n--',
        `\r\n--${BOUNDARY.slice(0, -1)}`,
        `--${BOUNDARY}`,
        '\r\n\r\n',
      ),
      fc.uint8Array({ maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map((chunks) => Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))))
  .filter((bytes) => !bytes.includes(`\r\n--${BOUNDARY}`))

describe('a form', () => {
  test('is parsed for any split of its bytes', async () => {
    const property = fc.asyncProperty(
      fc.array(content, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 200 }),
      fc.constantFrom('', 'preamble\r\n', '\r\n'),
      fc.constantFrom('', 'epilogue', '\r\n--x\r\n'),
      async (contents, sizes, preamble, epilogue) => {
        const parts = contents.map((bytes) => buildPart(bytes))
        const body = Buffer.concat([Buffer.from(preamble), ...parts, CLOSING_DELIMITER, Buffer.from(epilogue)])
        const results = await readAll(body, sizes)
        expect(results.map((result) => result.content.toString('hex'))).toEqual(
          contents.map((bytes) => bytes.toString('hex')),
        )
      },
    )
    await fc.assert(property, { numRuns: 300 })
  })

  test('is rejected if it is truncated at any position', async () => {
    const body = Buffer.concat([buildPart('one'), buildPart('two'), Buffer.from(`--${BOUNDARY}--`)])
    for (let length = 0; length < body.length; length += 1) {
      await expect(readAll(body.subarray(0, length)), String(length)).rejects.toMatchObject({ code: 'invalid_request' })
    }
    expect(await readAll(body)).toHaveLength(2)
  })

  test('continues after a part that was not read', async () => {
    const names: string[] = []
    const body = Buffer.concat([
      buildPart('x'.repeat(1000)),
      buildPart('y', 'content-disposition: form-data; name=b'),
      CLOSING_DELIMITER,
    ])
    for await (const { name } of readMultipart(splitIntoChunks(body, [10, 20, 300]), BOUNDARY)) names.push(name)
    expect(names).toEqual(['a', 'b'])
  })

  test('releases its source when reading stops', async () => {
    let isReleased = false
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield buildPart('one')
        yield buildPart('two')
      } finally {
        isReleased = true
      }
    }
    for await (const _part of readMultipart(source(), BOUNDARY)) break
    expect(isReleased).toBe(true)
  })

  test.each([
    ['with a part that is not form-data', buildPart('x', 'Content-Disposition: attachment; name="a"')],
    ['with a part without a header', buildPart('x', '')],
    ['with a part without a name', buildPart('x', 'Content-Disposition: form-data')],
    [
      'with a part in base64',
      buildPart('eA==', 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64'),
    ],
    ['with an endless header', buildPart('x', `X-Long: ${'x'.repeat(20_000)}`)],
    [
      'with text after a delimiter',
      Buffer.from(`--${BOUNDARY}x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n`),
    ],
  ])('%s is rejected', async (_name, bytes) => {
    await expect(readAll(Buffer.concat([bytes, CLOSING_DELIMITER]))).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('with another boundary is rejected', async () => {
    await expect(readAll('--other\r\n\r\n\r\n--other--')).rejects.toThrow('it ends before its closing delimiter')
  })
})

const readHeader = (header: string | Buffer) => readPartHeader(Buffer.from(header))

describe('part header', () => {
  test.each([
    ['a field', 'Content-Disposition: form-data; name="a"', { name: 'a', filename: null, contentType: null }],
    ['a bare name', 'content-disposition:form-data;name=a', { name: 'a', filename: null, contentType: null }],
    [
      'a file',
      'Content-Disposition: form-data; name="files"; filename="menu.pdf"\r\nContent-Type: Application/PDF; x=y',
      { name: 'files', filename: 'menu.pdf', contentType: 'application/pdf' },
    ],
    [
      'a name in UTF-8',
      'Content-Disposition: form-data; name="files"; filename="Öffnungszeiten – März.txt"',
      { name: 'files', filename: 'Öffnungszeiten – März.txt', contentType: null },
    ],
    [
      'an encoded name, which takes precedence',
      `Content-Disposition: form-data; name="files"; filename="x.txt"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt`,
      { name: 'files', filename: 'naïve €.txt', contentType: null },
    ],
    [
      'an encoded name in Latin-1',
      `Content-Disposition: form-data; name="files"; filename*=ISO-8859-1'en'%E9t%E9.txt`,
      { name: 'files', filename: 'été.txt', contentType: null },
    ],
    [
      'quotes within a name',
      'Content-Disposition: form-data; name="files"; filename="a \\"b\\"; c.txt"',
      { name: 'files', filename: 'a "b"; c.txt', contentType: null },
    ],
    [
      'a file without a name',
      'Content-Disposition: form-data; name="files"\r\nContent-Type: application/octet-stream',
      { name: 'files', filename: '', contentType: 'application/octet-stream' },
    ],
    [
      'a folded line',
      'Content-Disposition: form-data;\r\n name="a";\r\n\tfilename="b"',
      { name: 'a', filename: 'b', contentType: null },
    ],
  ])('reads %s', (_name, header, expected) => {
    expect(readHeader(`\r\n${header}`)).toEqual(expected)
  })

  test('falls back to Latin-1', () => {
    const header = Buffer.from('\r\nContent-Disposition: form-data; name="files"; filename="\xe9t\xe9.txt"', 'latin1')
    expect(readHeader(header)).toMatchObject({ filename: 'été.txt' })
  })

  test('with many backslashes is parsed in linear time', () => {
    const header = `\r\nContent-Disposition: form-data; name="${'\\\\'.repeat(8000)}`
    expect(readHeader(header)).toEqual({ problem: 'a part has no name' })
  })
})
