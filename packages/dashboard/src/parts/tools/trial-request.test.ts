import { expect, test } from 'vitest'
import { beginTrial } from './trial-request.ts'

test('a trial begins with a sample of the arguments and the variables that the tool names', () => {
  const tool = {
    type: 'custom',
    url: 'https://example.com/{{order}}',
    headers: { 'x-key': '{{key | none}}' },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  }
  const { argumentsText, variables } = beginTrial(tool, { key: 'secret', other: 'x' })
  expect(JSON.parse(argumentsText)).toEqual({ city: 'text' })
  expect(variables).toEqual({ order: '', key: 'secret', other: 'x' })
})

test('a trial of code has the variables that the code reads', () => {
  const code = 'const a = dv.price * 2\nreturn dv["people"] + dv[\'day\'] + advice.x'
  expect(beginTrial({ type: 'code', code }, {}).variables).toEqual({ price: '', people: '', day: '' })
})
