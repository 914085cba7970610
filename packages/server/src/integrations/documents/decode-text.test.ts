import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanText } from './clean-text.ts'
import { decodeText } from './decode-text.ts'
import { linesOf } from './document-test-kit.ts'

const GERMAN = 'Grüße aus Köln: wir öffnen um neun und schließen um achtzehn Uhr.'
const FRENCH = 'Le café est ouvert à midi. Où êtes-vous allés hier soir ?'

describe('encodings', () => {
  test.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from(GERMAN), GERMAN],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${GERMAN}`), GERMAN],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${GERMAN}`, 'utf16le'), GERMAN],
    ['UTF-16 without one', Buffer.from(GERMAN, 'utf16le'), GERMAN],
    ['UTF-16, big endian', Buffer.from(GERMAN, 'utf16le').swap16(), GERMAN],
    ['Latin-1', Buffer.from(GERMAN, 'latin1'), GERMAN],
    ['Latin-1 in French', Buffer.from(FRENCH, 'latin1'), FRENCH],
    ['Windows, with a euro sign', Buffer.concat([Buffer.from('Preis: 18,50 '), Buffer.of(0x80)]), 'Preis: 18,50 €'],
  ])('%s', async (_name, bytes, text) => {
    expect(await linesOf(new Uint8Array(bytes), { filename: 'a.txt' })).toEqual([text])
  })

  test('what is declared decides where the bytes do not', () => {
    const cyrillic = Uint8Array.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2)
    expect(decodeText(cyrillic, 'windows-1251')).toBe('Привет')
    expect(decodeText(cyrillic, 'no-such-charset')).toHaveLength(6)
    expect(decodeText(Buffer.from(GERMAN), 'iso-8859-1')).toBe(GERMAN)
  })

  test('a page says it in itself', async () => {
    const page = '<html><head><meta charset="windows-1251"></head><body><p>\xcf\xf0\xe8\xe2\xe5\xf2</p></body></html>'
    expect(await linesOf(new Uint8Array(Buffer.from(page, 'latin1')))).toEqual(['Привет'])
  })
})

test('whatever the bytes are, clean text can be kept by every database', () => {
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
