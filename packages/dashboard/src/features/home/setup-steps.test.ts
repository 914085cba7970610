import { expect, test } from 'vitest'
import { isDemoName, listSetupSteps } from './setup-steps.ts'

const NEW_WORKSPACE = {
  hasDemoAgent: true,
  hasConversation: false,
  hasAgent: false,
  hasProviderKey: false,
  hasUsedApi: false,
}

test.each([
  ['starts with the demo agent', NEW_WORKSPACE, ['talk', 'agent', 'key', 'api']],
  [
    'starts with creating an agent if there is no demo agent',
    { ...NEW_WORKSPACE, hasDemoAgent: false },
    ['agent', 'talk', 'key', 'api'],
  ],
  [
    'omits steps that the user may not perform',
    { ...NEW_WORKSPACE, hasProviderKey: null, hasUsedApi: null },
    ['talk', 'agent'],
  ],
])('%s', (_name, facts, names) => {
  expect(listSetupSteps(facts).map(({ name }) => name)).toEqual(names)
})

test('marks completed steps', () => {
  const completedSteps = listSetupSteps({ ...NEW_WORKSPACE, hasConversation: true }).filter(({ isDone }) => isDone)
  expect(completedSteps.map(({ name }) => name)).toEqual(['talk'])
})

test('recognizes the demo suffix', () => {
  expect(['Robin (demo)', 'Robin, bookings (demo) ', 'Robin', '(demo) Robin'].map(isDemoName)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
