import { expect, test } from 'vitest'
import { modelWarnings } from '../../kernel/model-directory.ts'
import { modelsOf, shorten } from './flow-warnings.ts'
import { parseNodes, says } from './flows-test-kit.ts'

test('models that nobody serves are named once each, those of local components too', () => {
  const models = { resolve: (name: string) => (name === 'offline' ? {} : null), configured: () => ['offline'] }
  const choosing = (model: string) => ({ ...says('a'), model_choice: { type: 'cascading', model } })
  const nodes = parseNodes([choosing('acme/large'), choosing('acme/large')])
  const local = { name: 'Local', nodes: parseNodes([choosing('acme/small')]), tools: [], mcps: [] }
  expect(modelWarnings(models, ['offline', ...modelsOf(nodes, [local])])).toEqual([
    expect.stringContaining('"acme/large"'),
    expect.stringContaining('"acme/small"'),
  ])
})

test('many warnings are counted instead of told', () => {
  expect(shorten(['a', 'b'])).toEqual(['a', 'b'])
  const told = shorten(Array.from({ length: 60 }, (_, index) => `Warning ${index}.`))
  expect(told).toHaveLength(51)
  expect(told.at(-1)).toBe('There are 10 more warnings.')
})
