import { expect, test } from 'vitest'
import { toPersonFields } from './person-input.ts'

test.each([
  [
    { email: ' ada@example.com ', name: ' Ada ' },
    { email: 'ada@example.com', name: 'Ada' },
  ],
  [
    { email: 'ada@example.com', name: '  ' },
    { email: 'ada@example.com', name: null },
  ],
])('%j is sent as %j', (input, fields) => expect(toPersonFields(input)).toEqual(fields))
