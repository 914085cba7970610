import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createCompoundFile,
  createHandbook,
  createPriceList,
} from '../../../../../testing/documents/office-documents.ts'
import { makeProtectedPdf, makeScan } from '../../../../../testing/documents/pdf-documents.ts'
import { HELP_PAGE, makeEmail } from '../../../../../testing/documents/text-documents.ts'
import { makeZip } from '../../../../../testing/documents/zip-file.ts'
import { cleanText } from './clean-document.ts'
import { decodeText } from './decode-text.ts'
import { describeBlocks, readFailure, readSample } from './document-test-kit.ts'

const CSV = 'name,price,colour\nBicycle,900,red\nTube,4,black\nBell,12,silver\n'
const MARKDOWN = '# Title\n\nSome **bold** words.\n\n## Part\n\n- one\n- two\n'
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('format detection by content', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['notes.txt', HELP_PAGE, 'text/html'],
    ['page.md', HELP_PAGE, 'text/html'],
    ['table.html', CSV, 'text/csv'],
    ['table.txt', CSV, 'text/csv'],
    ['table.txt', CSV.replaceAll(',', '\t'), 'text/tab-separated-values'],
    ['data.csv', '{"a": 1}', 'application/json'],
    ['records', '{"a": 1}\n{"a": 2}\n', 'application/json'],
    ['letter.txt', makeEmail('Hello', [{ contentType: 'text/plain', content: 'Hi' }]), 'message/rfc822'],
    ['readme', MARKDOWN, 'text/markdown'],
    ['prose.csv', 'This is a sentence.\nAnd here comes another one without any order.\n', 'text/plain'],
    [
      'story.txt',
      'Once, long ago, in a town, there was a shop.\nIt sold tires, bells, lamps.\nNobody came, ever.',
      'text/plain',
    ],
    ['note.txt', '[1] See below\n\nand {that} is all.', 'text/plain'],
  ])('%s', async (filename, content, contentType) => {
    expect((await readSample(content, { filename })).contentType).toBe(contentType)
  })

  test('detects office documents under any name', async () => {
    expect((await readSample(await createHandbook(), { filename: 'a.pdf' })).contentType).toContain('wordprocessingml')
    expect((await readSample(await createPriceList(), { filename: 'a.docx' })).contentType).toContain('spreadsheetml')
  })

  test.each([
    ['list.csv', 'text/csv', 'a,b\n1,2\n', 'text/csv'],
    ['', 'text/markdown', 'Just *this*.', 'text/markdown'],
    ['', 'text/html', 'Just <b>this</b>.', 'text/html'],
    ['a.md', null, 'Just *this*.', 'text/markdown'],
  ])(
    'uses the declared name and type for ambiguous content: %s %s',
    async (filename, contentType, content, expectedType) => {
      expect((await readSample(content, { filename, contentType })).contentType).toBe(expectedType)
    },
  )
})

describe('unreadable documents', () => {
  test.each<[string, () => Promise<Uint8Array> | Uint8Array | string, string]>([
    ['an empty file', () => '', 'is empty'],
    ['spaces', () => ' \n\t\n', 'has no text'],
    ['a scan', makeScan, 'may be scanned: run text recognition (OCR)'],
    ['an encrypted PDF', makeProtectedPdf, 'is password-protected'],
    ['an encrypted workbook', () => createCompoundFile('EncryptedPackage'), 'is password-protected'],
    ['an old Word file', () => createCompoundFile('WordDocument'), 'save it as .docx'],
    ['an old Excel file', () => createCompoundFile('Workbook'), 'save it as .xlsx'],
    ['an image', () => new Uint8Array(Buffer.from(PIXEL, 'base64')), 'Images cannot be read'],
    ['an archive', () => makeZip([{ name: 'a.txt', content: 'a' }]), 'extract it and add its files'],
    [
      'an OpenDocument text',
      () => makeZip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' }]),
      'save it as .docx or PDF',
    ],
    ['RTF', () => '{\\rtf1\\ansi Hello}', 'save it as .docx or PDF'],
    ['XML', () => '<?xml version="1.0"?><a>b</a>', 'XML files cannot be read'],
    ['bytes', () => new Uint8Array(2000).map((_, index) => (index * 7) % 32), 'Files of this type cannot be read'],
    ['a broken PDF', () => '%PDF-1.7\nnothing of a PDF follows', 'seems to be damaged'],
    ['half a Word file', async () => (await createHandbook()).slice(0, 4000), 'seems to be damaged'],
    ['JSON with a syntax error', () => '{"a": ', 'is not valid JSON'],
  ])('%s', async (name, createContent, message) => {
    const filename = name.startsWith('JSON') ? 'a.json' : 'a.bin'
    expect(await readFailure(await createContent(), { filename })).toContain(message)
  })

  test('a truncated document is read or rejected as unreadable', async () => {
    const documents = [
      await createHandbook(),
      await createPriceList(),
      makeEmail('Cut', [{ contentType: 'text/plain', content: 'Hi' }]),
    ]
    for (const document of documents) {
      for (let share = 1; share < 20; share += 1) {
        const truncated = document.slice(0, Math.floor((document.length * share) / 20))
        const outcome = await readSample(truncated).then(
          () => 'read',
          (error: Error) => error.name,
        )
        expect(['read', 'UnreadableContentError']).toContain(outcome)
      }
    }
  })
})

const GERMAN = 'Grüße aus Köln: wir öffnen um neun und schließen um achtzehn Uhr.'
const FRENCH = 'Le café est ouvert à midi. Où êtes-vous allés hier soir ?'

describe('encodings', () => {
  test.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from(GERMAN), GERMAN],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${GERMAN}`), GERMAN],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${GERMAN}`, 'utf16le'), GERMAN],
    ['UTF-16 without a byte order mark', Buffer.from(GERMAN, 'utf16le'), GERMAN],
    ['UTF-16, big endian', Buffer.from(GERMAN, 'utf16le').swap16(), GERMAN],
    ['Latin-1', Buffer.from(GERMAN, 'latin1'), GERMAN],
    ['Latin-1 in French', Buffer.from(FRENCH, 'latin1'), FRENCH],
    ['Windows, with a euro sign', Buffer.concat([Buffer.from('Preis: 18,50 '), Buffer.of(0x80)]), 'Preis: 18,50 €'],
  ])('%s', async (_name, bytes, text) => {
    expect(await describeBlocks(new Uint8Array(bytes), { filename: 'a.txt' })).toEqual([text])
  })

  test('the declared charset decides ambiguous cases', () => {
    const cyrillic = Uint8Array.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2)
    expect(decodeText(cyrillic, 'windows-1251')).toBe('Привет')
    expect(decodeText(cyrillic, 'no-such-charset')).toHaveLength(6)
    expect(decodeText(Buffer.from(GERMAN), 'iso-8859-1')).toBe(GERMAN)
  })

  test('uses the charset declared in a page', async () => {
    const page = '<html><head><meta charset="windows-1251"></head><body><p>\xcf\xf0\xe8\xe2\xe5\xf2</p></body></html>'
    expect(await describeBlocks(new Uint8Array(Buffer.from(page, 'latin1')))).toEqual(['Привет'])
  })
})

test('any bytes become text that databases can store', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary' })), (input) => {
      const text = cleanText(typeof input === 'string' ? input : decodeText(input))
      expect(text.isWellFormed()).toBe(true)
      expect(text).not.toContain('\0')
      expect(cleanText(text)).toBe(text)
    }),
    { numRuns: 50 },
  )
})
