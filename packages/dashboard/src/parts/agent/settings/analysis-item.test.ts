import { expect, test } from 'vitest'
import { type AnalysisItem, changeItemType, findMissingPresets, setCommonFields } from './analysis-item.ts'

const budget: AnalysisItem = { type: 'number', name: 'budget', description: 'In euros', required: true }

test('an item keeps its common fields when its type changes', () => {
  expect(changeItemType(budget, 'enum')).toEqual({ ...budget, type: 'enum', choices: [] })
  expect(changeItemType({ type: 'enum', name: 'size', description: '', choices: ['S', 'L'] }, 'string')).toEqual({
    type: 'string',
    name: 'size',
    description: '',
  })
})

test('removes empty fields and keeps the fields of the type', () => {
  expect(setCommonFields(budget, { required: false })).toEqual({
    type: 'number',
    name: 'budget',
    description: 'In euros',
  })
  const choice: AnalysisItem = { type: 'enum', name: 'size', description: 'Size', choices: ['S'] }
  expect(setCommonFields(choice, { condition: 'If shoes' })).toEqual({ ...choice, conditional_prompt: 'If shoes' })
  const preset: AnalysisItem = { type: 'system-presets', name: 'call_summary', description: 'Short' }
  expect(setCommonFields(preset, { description: '' })).toEqual({ type: 'system-presets', name: 'call_summary' })
})

test('a preset is offered once, under any of its names', () => {
  const items: AnalysisItem[] = [{ type: 'system-presets', name: 'chat_summary' }, budget]
  expect(findMissingPresets(items, 'agent')).toEqual(['call_successful', 'user_sentiment'])
  expect(findMissingPresets([], 'chat-agent')).toEqual(['chat_summary', 'chat_successful', 'user_sentiment'])
})
