import { describe, expect, test } from 'vitest'
import { formatSessionCookie, isOwnOrigin, readSessionCookie } from './request-context.ts'

const VALUE = 'abcdefghijklmnopqrstuvwxyz_-0123456789'

describe('session cookie', () => {
  test.each([
    [`parley_session=${VALUE}`, VALUE],
    [`theme=dark; parley_session=${VALUE}; lang=en`, VALUE],
    [`a=b;parley_session=${VALUE}`, VALUE],
    [`xparley_session=${VALUE}`, null],
    ['parley_session=short', null],
    ['parley_session=', null],
    [`parley_session="${VALUE}"`, null],
    [`parley_session=${VALUE}%0a`, null],
    [`parley_session=${'a'.repeat(201)}`, null],
    ['', null],
    [undefined, null],
  ])('is read from %j as %j', (header, expected) => {
    expect(readSessionCookie(header, false)).toBe(expected)
  })

  test('is HttpOnly and limited to this host', () => {
    expect(formatSessionCookie({ value: VALUE, maxAgeSeconds: 60 }, true)).toBe(
      `__Host-parley_session=${VALUE}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure`,
    )
    expect(formatSessionCookie({ value: VALUE, maxAgeSeconds: 60 }, false)).not.toContain('Secure')
    expect(formatSessionCookie(null, true)).toContain('__Host-parley_session=; Max-Age=0;')
  })

  test('has another name over HTTPS', () => {
    const [plainCookie, secureCookie] = [`parley_session=${VALUE}`, `__Host-parley_session=${VALUE}`]
    expect([readSessionCookie(secureCookie, true), readSessionCookie(`a=b; ${secureCookie}`, true)]).toEqual([
      VALUE,
      VALUE,
    ])
    expect([readSessionCookie(plainCookie, true), readSessionCookie(secureCookie, false)]).toEqual([null, null])
  })
})

describe('isOwnOrigin', () => {
  test.each([
    ['https://parley.example', ['parley.example'], true],
    ['http://parley.example', ['parley.example'], true],
    ['https://PARLEY.example', ['parley.EXAMPLE'], true],
    ['http://127.0.0.1:4100', ['127.0.0.1:4100'], true],
    ['http://[::1]:4100', ['[::1]:4100'], true],
    ['https://parley.example', ['parley.example:443'], true],
    ['http://parley.example', ['parley.example:80'], true],
    ['https://parley.example', ['10.0.0.1:4100', 'parley.example'], true],
    ['https://parley.example', ['parley.example:80'], false],
    ['https://parley.example:8443', ['parley.example'], false],
    ['https://parley.example.evil.example', ['parley.example'], false],
    ['https://evil.example', ['parley.example'], false],
    ['https://parley.example@evil.example', ['parley.example'], false],
    ['chrome-extension://parley.example', ['parley.example'], false],
    ['file://', [''], false],
    ['null', ['null', ''], false],
    ['https://a', ['a b'], false],
    ['', [''], false],
    [undefined, ['parley.example'], false],
  ])('%j on %j is %j', (origin, hosts, expected) => {
    expect(isOwnOrigin(origin, hosts)).toBe(expected)
  })
})
