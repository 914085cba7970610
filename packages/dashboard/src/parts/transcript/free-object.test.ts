import { expect, test } from 'vitest'
import { printValue, readObject } from './free-object.ts'

test('an object that was typed is read; anything else is refused', () => {
  expect(readObject('{"order": {"id": 7}, "__proto__": 1}')).toEqual(JSON.parse('{"order": {"id": 7}, "__proto__": 1}'))
  expect(readObject('  ')).toEqual({})
  for (const text of ['[]', 'null', '7', '"a"', '{"a": }', '{']) expect(readObject(text)).toBeNull()
})

test('texts are printed as they are, other values as JSON', () => {
  expect(printValue('<b>ä</b>')).toBe('<b>ä</b>')
  expect(printValue({ id: 7 })).toBe('{\n  "id": 7\n}')
  expect(printValue(null)).toBe('null')
})
