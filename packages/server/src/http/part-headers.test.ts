import { describe, expect, test } from 'vitest'
import { readPartHeader } from './part-headers.ts'

const read = (header: string | Buffer) => readPartHeader(Buffer.from(header))

describe('the header of a part', () => {
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
      'a name in percent signs, which wins',
      `Content-Disposition: form-data; name="files"; filename="x.txt"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt`,
      { name: 'files', filename: 'naïve €.txt', contentType: null },
    ],
    [
      'a name in Latin-1 with percent signs',
      `Content-Disposition: form-data; name="files"; filename*=ISO-8859-1'en'%E9t%E9.txt`,
      { name: 'files', filename: 'été.txt', contentType: null },
    ],
    [
      'quotes within a name',
      'Content-Disposition: form-data; name="files"; filename="a \\"b\\"; c.txt"',
      { name: 'files', filename: 'a "b"; c.txt', contentType: null },
    ],
    [
      'bytes without a name of a file',
      'Content-Disposition: form-data; name="files"\r\nContent-Type: application/octet-stream',
      { name: 'files', filename: '', contentType: 'application/octet-stream' },
    ],
    [
      'a folded line',
      'Content-Disposition: form-data;\r\n name="a";\r\n\tfilename="b"',
      { name: 'a', filename: 'b', contentType: null },
    ],
  ])('tells of %s', (_name, header, expected) => {
    expect(read(`\r\n${header}`)).toEqual(expected)
  })

  test('in Latin-1 is read as such', () => {
    const header = Buffer.from('\r\nContent-Disposition: form-data; name="files"; filename="\xe9t\xe9.txt"', 'latin1')
    expect(read(header)).toMatchObject({ filename: 'été.txt' })
  })

  test('of hostile quoting is read in no time', () => {
    const header = `\r\nContent-Disposition: form-data; name="${'\\\\'.repeat(8000)}`
    expect(read(header)).toEqual({ problem: 'a part has no name' })
  })
})
