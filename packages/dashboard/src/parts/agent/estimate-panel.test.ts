import { expect, test } from 'vitest'
import { calculateCostRate, estimatePromptLength } from './estimate-panel.tsx'

const createState = (prompt?: string) => ({ name: 'a', ...(prompt !== undefined && { state_prompt: prompt }) })

test('a token is about four characters, rounded up', () => {
  expect(estimatePromptLength({ general_prompt: '', states: [] })).toEqual({ tokens: 0, hasStates: false })
  expect(estimatePromptLength({ general_prompt: 'x'.repeat(400), states: [] })).toEqual({
    tokens: 100,
    hasStates: false,
  })
  expect(estimatePromptLength({ general_prompt: 'x'.repeat(401), states: [] })).toEqual({
    tokens: 101,
    hasStates: false,
  })
})

test('a model sees one state at a time, so the longest state counts', () => {
  const states = [createState('x'.repeat(40)), createState(), createState('x'.repeat(80))]
  expect(estimatePromptLength({ general_prompt: 'x'.repeat(40), states })).toEqual({ tokens: 30, hasStates: true })
  expect(estimatePromptLength({ general_prompt: 'x'.repeat(40), states: [createState()] })).toEqual({
    tokens: 10,
    hasStates: false,
  })
})

test('calls are priced per minute, and the result says whether chats are included', () => {
  expect(calculateCostRate({ cost: 0.9, minutes: 12, chats: 0 })).toEqual({
    unit: 'minute',
    dollars: 0.075,
    hasChats: false,
  })
  expect(calculateCostRate({ cost: 0.9, minutes: 12, chats: 3 })).toEqual({
    unit: 'minute',
    dollars: 0.075,
    hasChats: true,
  })
})

test('chats alone are priced per chat', () => {
  expect(calculateCostRate({ cost: 0.03, minutes: 0, chats: 3 })).toEqual({
    unit: 'chat',
    dollars: 0.01,
    hasChats: true,
  })
})

test('the rate is zero for free usage and null without calls or chats', () => {
  expect(calculateCostRate({ cost: 0, minutes: 2, chats: 0 })).toEqual({ unit: 'minute', dollars: 0, hasChats: false })
  expect(calculateCostRate({ cost: 0, minutes: 0, chats: 0 })).toBeNull()
})
