import { expect, test } from 'vitest'
import { type EditOrder, NO_EDITS, planRedo, planUndo, recordEdit } from './edit-order.ts'

type Name = 'agent' | 'llm'
const always = () => true

function recordEdits(...names: readonly Name[]): EditOrder<Name> {
  return names.reduce<EditOrder<Name>>(
    (order, name, index) => recordEdit(order, name, { fields: ['field'], atMs: index * 5_000 }),
    NO_EDITS,
  )
}

/** Undoes every edit and returns the draft names in that order. */
function undoAll(order: EditOrder<Name>): Name[] {
  const plan = planUndo(order, always)
  return plan === null ? [] : [plan.name, ...undoAll(plan.order)]
}

test('undo reverts the last edit first, in either draft', () => {
  expect(undoAll(recordEdits('agent', 'llm', 'llm', 'agent'))).toEqual(['agent', 'llm', 'llm', 'agent'])
})

test('typing in one field is one step; another field or a pause starts a new one', () => {
  const order = recordEdit<Name>(NO_EDITS, 'llm', { fields: ['general_prompt'], atMs: 0 })
  const continued = recordEdit(order, 'llm', { fields: ['general_prompt'], atMs: 900 })
  expect(continued.done).toEqual(['llm'])
  expect(recordEdit(continued, 'llm', { fields: ['model'], atMs: 1_000 }).done).toEqual(['llm', 'llm'])
  expect(recordEdit(continued, 'llm', { fields: ['general_prompt'], atMs: 1_900 }).done).toEqual(['llm', 'llm'])
  expect(recordEdit(continued, 'agent', { fields: ['general_prompt'], atMs: 1_000 }).done).toEqual(['llm', 'agent'])
})

test('redo follows the order of undo until the next edit', () => {
  const firstUndo = planUndo(recordEdits('agent', 'llm'), always)
  const secondUndo = planUndo(firstUndo?.order ?? NO_EDITS, always)
  const firstRedo = planRedo(secondUndo?.order ?? NO_EDITS, always)
  expect(firstRedo?.name).toBe('agent')
  expect(planRedo(firstRedo?.order ?? NO_EDITS, always)?.name).toBe('llm')
  const orderAfterEdit = recordEdit(secondUndo?.order ?? NO_EDITS, 'llm', { fields: ['model'], atMs: 90_000 })
  expect(planRedo(orderAfterEdit, always)).toBeNull()
})

test('skips edits of a draft that was saved', () => {
  const plan = planUndo(recordEdits('agent', 'llm', 'llm'), (name) => name === 'agent')
  expect(plan?.name).toBe('agent')
  expect(planUndo(recordEdits('llm'), () => false)).toBeNull()
})
