import { expect, test } from 'vitest'
import { isDemoName, listSetupSteps } from './setup-steps.ts'

const FRESH = { hasDemoAgent: true, hasTalked: false, hasAgent: false, hasKey: false, hasUsedApi: false }

test.each([
  ['talking to the demo agent comes first', FRESH, ['talk', 'agent', 'key', 'api']],
  [
    'without a demo agent, an agent is created first',
    { ...FRESH, hasDemoAgent: false },
    ['agent', 'talk', 'key', 'api'],
  ],
  ['steps that are not for this person are left out', { ...FRESH, hasKey: null, hasUsedApi: null }, ['talk', 'agent']],
])('%s', (_name, facts, names) => {
  expect(listSetupSteps(facts).map(({ name }) => name)).toEqual(names)
})

test('a step is done when its condition holds', () => {
  const done = listSetupSteps({ ...FRESH, hasTalked: true }).filter(({ isDone }) => isDone)
  expect(done.map(({ name }) => name)).toEqual(['talk'])
})

test('only names with the demo suffix are demo names', () => {
  expect(['Robin (demo)', 'Robin, bookings (demo) ', 'Robin', '(demo) Robin'].map(isDemoName)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
