import { describe, expect, test } from 'vitest'
import { RouteMethods } from './route-methods.ts'

describe('RouteMethods', () => {
  const routes = new RouteMethods()
  routes.add('/api/things', 'GET')
  routes.add('/api/things', 'POST')
  routes.add('/api/things/{thingId}', 'DELETE')
  routes.add('/api/things/{thingId}/parts', 'PATCH')

  test.each([
    ['/api/things', 'GET, HEAD, POST'],
    ['/api/things/', 'GET, HEAD, POST'],
    ['/api/things/a', 'DELETE'],
    ['/api/things/a/parts', 'PATCH'],
    ['/api/things/a/other', null],
    ['/api', null],
    ['/', null],
    ['', null],
  ])('%s answers %s', (path, allow) => {
    expect(routes.allowedAt(path)).toBe(allow)
  })
})
