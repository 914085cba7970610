import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { expect, test } from 'vitest'
import { buildUpdateBody, findUnstoredPaths, formatDocument, mergeEdits, parseDocument } from './flow-document.ts'

test('formats and parses a document without changes, in field order', () => {
  const fields = Object.keys(CreateConversationFlowBody.shape).filter((name) => name !== 'workspaceId')
  const document = Object.fromEntries([...fields, 'future_field'].map((name) => [name, { of: name }]))
  const result = parseDocument(formatDocument(document))
  expect(result).toEqual({ document })
  const names = 'document' in result ? Object.keys(result.document) : []
  expect(names.slice(0, 2)).toEqual(['display_name', 'start_speaker'])
  expect(names.at(-1)).toBe('future_field')
})

test('returns the offset of the first error', () => {
  expect(parseDocument('  [1]')).toEqual({ errorOffset: 2 })
  expect(parseDocument('{"a": }')).toEqual({ errorOffset: 6 })
})

test('sends only edited fields and resets removed fields', () => {
  const saved = { global_prompt: 'a', tools: [], nodes: [{ id: 'a' }], model_temperature: 0.5 }
  expect(buildUpdateBody(saved, { ...saved })).toEqual({})
  expect(buildUpdateBody(saved, { ...saved, global_prompt: 'b' })).toEqual({ global_prompt: 'b' })
  const { model_temperature: _temperature, ...withoutTemperature } = saved
  expect(buildUpdateBody(saved, withoutTemperature)).toEqual({ model_temperature: null })
})

test('sends all nodes as one list, even if it is empty', () => {
  const saved = { nodes: [{ id: 'a' }, { id: 'b' }] }
  expect(buildUpdateBody(saved, { nodes: [{ id: 'b' }] })).toEqual({ nodes: [{ id: 'b' }], replaceNodes: true })
  expect(buildUpdateBody(saved, {})).toEqual({ nodes: [], replaceNodes: true })
})

test('ignores request-only fields in the text', () => {
  expect(buildUpdateBody({}, { replaceNodes: false, workspaceId: 9, version: 3, notes: [] })).toEqual({ notes: [] })
})

test('merges the edits of two users and prefers mine in a conflict', () => {
  const base = { global_prompt: 'a', start_speaker: 'agent', tools: [1], notes: [1] }
  const mine = { global_prompt: 'mine', start_speaker: 'agent', notes: [1] }
  const theirs = { global_prompt: 'theirs', start_speaker: 'user', tools: [1], notes: [1, 2] }
  expect(mergeEdits(base, mine, theirs)).toEqual({ global_prompt: 'mine', start_speaker: 'user', notes: [1, 2] })
})

test('finds fields that the server dropped, ignoring other spellings', () => {
  const sent = { nodes: [{ id: 'a', colour: 'red', name: null }], globalPrompt: 'x', nonsense: { deep: 1 } }
  const stored = { nodes: [{ id: 'a' }], global_prompt: 'x' }
  expect(findUnstoredPaths(sent, stored)).toEqual(['nodes[0].colour', 'nonsense'])
})
