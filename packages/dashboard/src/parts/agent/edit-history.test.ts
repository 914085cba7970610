import { expect, test } from 'vitest'
import { type EditHistory, EMPTY_HISTORY, planRedo, planUndo, recordEdit } from './edit-history.ts'

type Name = 'agent' | 'llm'
const always = () => true

function recordEdits(...names: readonly Name[]): EditHistory<Name> {
  return names.reduce<EditHistory<Name>>(
    (history, name, index) => recordEdit(history, name, { fields: ['field'], atMs: index * 5_000 }),
    EMPTY_HISTORY,
  )
}

/** Undoes every edit and returns the draft names in that history. */
function undoAll(history: EditHistory<Name>): Name[] {
  const plan = planUndo(history, always)
  return plan === null ? [] : [plan.name, ...undoAll(plan.history)]
}

test('undo reverts the last edit first, in either draft', () => {
  expect(undoAll(recordEdits('agent', 'llm', 'llm', 'agent'))).toEqual(['agent', 'llm', 'llm', 'agent'])
})

test('typing in one field is one step; another field or a pause starts a new one', () => {
  const history = recordEdit<Name>(EMPTY_HISTORY, 'llm', { fields: ['general_prompt'], atMs: 0 })
  const continued = recordEdit(history, 'llm', { fields: ['general_prompt'], atMs: 900 })
  expect(continued.undoStack).toEqual(['llm'])
  expect(recordEdit(continued, 'llm', { fields: ['model'], atMs: 1_000 }).undoStack).toEqual(['llm', 'llm'])
  expect(recordEdit(continued, 'llm', { fields: ['general_prompt'], atMs: 1_900 }).undoStack).toEqual(['llm', 'llm'])
  expect(recordEdit(continued, 'agent', { fields: ['general_prompt'], atMs: 1_000 }).undoStack).toEqual([
    'llm',
    'agent',
  ])
})

test('redo follows the order of undo until the next edit', () => {
  const firstUndo = planUndo(recordEdits('agent', 'llm'), always)
  const secondUndo = planUndo(firstUndo?.history ?? EMPTY_HISTORY, always)
  const firstRedo = planRedo(secondUndo?.history ?? EMPTY_HISTORY, always)
  expect(firstRedo?.name).toBe('agent')
  expect(planRedo(firstRedo?.history ?? EMPTY_HISTORY, always)?.name).toBe('llm')
  const historyAfterEdit = recordEdit(secondUndo?.history ?? EMPTY_HISTORY, 'llm', { fields: ['model'], atMs: 90_000 })
  expect(planRedo(historyAfterEdit, always)).toBeNull()
})

test('skips edits of a draft that was saved', () => {
  const plan = planUndo(recordEdits('agent', 'llm', 'llm'), (name) => name === 'agent')
  expect(plan?.name).toBe('agent')
  expect(planUndo(recordEdits('llm'), () => false)).toBeNull()
})
