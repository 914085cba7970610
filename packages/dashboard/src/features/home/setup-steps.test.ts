import { expect, test } from 'vitest'
import { nextStep, setupSteps } from './setup-steps.ts'

test('a step is left out while it is not known whether it is done, or when it is not for this person', () => {
  const steps = setupSteps({ hasKey: null, hasAgent: true, hasTalked: false, hasNumber: null })
  expect(steps).toEqual([
    { name: 'agent', isDone: true },
    { name: 'talk', isDone: false },
  ])
  expect(nextStep(steps)).toBe('talk')
})

test('nothing comes next when all is done', () => {
  expect(nextStep(setupSteps({ hasKey: true, hasAgent: true, hasTalked: true, hasNumber: true }))).toBeNull()
})
