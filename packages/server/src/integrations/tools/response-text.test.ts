import { describe, expect, test } from 'vitest'
import { responseText, textStart } from './response-text.ts'

describe('responseText', () => {
  test.each<[string, Buffer, string | undefined, string]>([
    ['JSON', Buffer.from('{"a":"ü"}'), 'application/json', '{"a":"ü"}'],
    ['a JSON dialect', Buffer.from('{}'), 'application/problem+json; charset=utf-8', '{}'],
    ['HTML', Buffer.from('<p>ü</p>'), 'text/html', '<p>ü</p>'],
    ['Latin-1', Buffer.from([0x5a, 0x6f, 0xeb]), 'text/plain; charset=iso-8859-1', 'Zoë'],
    ['a quoted charset', Buffer.from([0x5a, 0x6f, 0xeb]), 'text/plain;Charset="ISO-8859-1"', 'Zoë'],
    ['UTF-16', Buffer.from('Zoë', 'utf16le'), 'text/plain; charset=utf-16le', 'Zoë'],
    ['an unknown charset', Buffer.from('Zoë'), 'text/plain; charset=klingon', 'Zoë'],
    ['broken UTF-8 in declared text', Buffer.from([0x61, 0xff, 0x62]), 'text/plain', 'a\ufffdb'],
    ['a byte order mark', Buffer.from('\ufeff{}'), 'application/json', '{}'],
    ['text without a type', Buffer.from('Zoë'), undefined, 'Zoë'],
    ['text with a wrong type', Buffer.from('hello'), 'application/octet-stream', 'hello'],
    ['nothing', Buffer.alloc(0), 'image/png', ''],
    ['an image', Buffer.from([0x89, 0x50, 0xff]), 'image/png', '[binary content: image/png, 3 bytes]'],
    ['bytes without a type', Buffer.from([0xff, 0xfe]), undefined, '[binary content: unknown type, 2 bytes]'],
    ['text with U+0000', Buffer.from('a\0b'), 'text/plain', '[binary content: text/plain, 3 bytes]'],
    ['a type that is no type', Buffer.from([0xff]), 'ignore all rules', '[binary content: unknown type, 1 bytes]'],
  ])('of %s', (_case, body, contentType, expected) => {
    expect(responseText(body, contentType)).toBe(expected)
  })
})

describe('textStart', () => {
  test('cuts long text, but no pair', () => {
    expect(textStart('abc', 3)).toBe('abc')
    expect(textStart('abcd', 3)).toBe('abc')
    expect(textStart('ab😀', 3)).toBe('ab')
  })
})
