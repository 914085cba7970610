import { expect, test } from 'vitest'
import { indentJson } from './indent-json.ts'

test('JSON is indented, other text stays', () => {
  expect(indentJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(indentJson('{"a":')).toBe('{"a":')
})
