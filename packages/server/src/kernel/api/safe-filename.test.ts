import { describe, expect, test } from 'vitest'
import { sanitizeFilename } from './safe-filename.ts'

describe('sanitizeFilename', () => {
  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\menu.pdf', 'menu.pdf'],
    ['a/..', ''],
    ['.', ''],
    ['folder/', ''],
    ['a\u0000b\r\nc\u007f.txt', 'abc.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['\ud800.txt', '\ufffd.txt'],
    ['  spaces.txt ', 'spaces.txt'],
  ])('maps %j to %j', (filename, sanitized) => {
    expect(sanitizeFilename(filename)).toBe(sanitized)
  })

  test('keeps the extension and whole characters when truncating', () => {
    const name = sanitizeFilename(`${'😀'.repeat(200)}.pdf`)
    expect(name.length).toBeLessThanOrEqual(255)
    expect(name).toMatch(/^(😀)+\.pdf$/u)
  })
})
