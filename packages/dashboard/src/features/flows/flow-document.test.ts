import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { expect, test } from 'vitest'
import { buildChanges, findUnstoredPaths, formatDocument, mergeEdits, readDocument } from './flow-document.ts'

test('a text is unchanged after reading and printing, in field order', () => {
  const fields = Object.keys(CreateConversationFlowBody.shape).filter((name) => name !== 'workspaceId')
  const document = Object.fromEntries([...fields, 'future_field'].map((name) => [name, { of: name }]))
  const read = readDocument(formatDocument(document))
  expect(read).toEqual({ document })
  const names = 'document' in read ? Object.keys(read.document) : []
  expect(names.slice(0, 2)).toEqual(['display_name', 'start_speaker'])
  expect(names.at(-1)).toBe('future_field')
})

test('a text that is not an object is invalid where the problem starts', () => {
  expect(readDocument('  [1]')).toEqual({ faultAt: 2 })
  expect(readDocument('{"a": }')).toEqual({ faultAt: 6 })
})

test('sends only edited fields; removed fields get their default', () => {
  const before = { global_prompt: 'a', tools: [], nodes: [{ id: 'a' }], model_temperature: 0.5 }
  expect(buildChanges(before, { ...before })).toEqual({})
  expect(buildChanges(before, { ...before, global_prompt: 'b' })).toEqual({ global_prompt: 'b' })
  const { model_temperature: _, ...rest } = before
  expect(buildChanges(before, rest)).toEqual({ model_temperature: null })
})

test('sends all nodes as one list, even an empty one', () => {
  const before = { nodes: [{ id: 'a' }, { id: 'b' }] }
  expect(buildChanges(before, { nodes: [{ id: 'b' }] })).toEqual({ nodes: [{ id: 'b' }], replaceNodes: true })
  expect(buildChanges(before, {})).toEqual({ nodes: [], replaceNodes: true })
})

test('ignores request-only fields in the text', () => {
  expect(buildChanges({}, { replaceNodes: false, workspaceId: 9, version: 3, notes: [] })).toEqual({ notes: [] })
})

test('merges edits of two people; mine wins where both changed the same field', () => {
  const before = { global_prompt: 'a', start_speaker: 'agent', tools: [1], notes: [1] }
  const mine = { global_prompt: 'mine', start_speaker: 'agent', notes: [1] }
  const theirs = { global_prompt: 'theirs', start_speaker: 'user', tools: [1], notes: [1, 2] }
  expect(mergeEdits(before, mine, theirs)).toEqual({ global_prompt: 'mine', start_speaker: 'user', notes: [1, 2] })
})

test('finds fields that the server dropped, ignoring other spellings', () => {
  const sent = { nodes: [{ id: 'a', colour: 'red', name: null }], globalPrompt: 'x', nonsense: { deep: 1 } }
  const stored = { nodes: [{ id: 'a' }], global_prompt: 'x' }
  expect(findUnstoredPaths(sent, stored)).toEqual(['nodes[0].colour', 'nonsense'])
})
