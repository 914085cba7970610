import { operationTable } from '@parley/contract/operation-table'
import { expect, test } from 'vitest'
import { OPERATION_WORDS, operationWords } from './operation-words.ts'

test('every operation that changes something has words', () => {
  const changing = Object.entries(operationTable).filter(([, [method]]) => method !== 'GET')
  expect(changing.map(([name]) => name).filter((name) => !(name in OPERATION_WORDS))).toEqual([])
})

test('what has no words is its name taken apart', () => {
  expect(operationWords('createToken')).toBe('Create an API token')
  expect(operationWords('listWebhookDeliveries')).toBe('List webhook deliveries')
})
