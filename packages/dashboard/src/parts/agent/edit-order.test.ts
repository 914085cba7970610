import { expect, test } from 'vitest'
import { type EditOrder, NO_EDITS, planRedo, planUndo, recordEdit } from './edit-order.ts'

type Name = 'agent' | 'llm'
const always = () => true

function recordEdits(...names: readonly Name[]): EditOrder<Name> {
  return names.reduce<EditOrder<Name>>(
    (order, name, at) => recordEdit(order, name, { fields: ['field'], atMs: at * 5_000 }),
    NO_EDITS,
  )
}

/** Undoes every edit and returns the draft names in that order. */
function undoAll(order: EditOrder<Name>): Name[] {
  const next = planUndo(order, always)
  return next === null ? [] : [next.name, ...undoAll(next.order)]
}

test('undo reverts the last edit first, in either draft', () => {
  expect(undoAll(recordEdits('agent', 'llm', 'llm', 'agent'))).toEqual(['agent', 'llm', 'llm', 'agent'])
})

test('typing in one field is one step; another field or a pause starts a new one', () => {
  const typed = recordEdit<Name>(NO_EDITS, 'llm', { fields: ['general_prompt'], atMs: 0 })
  const goesOn = recordEdit(typed, 'llm', { fields: ['general_prompt'], atMs: 900 })
  expect(goesOn.done).toEqual(['llm'])
  expect(recordEdit(goesOn, 'llm', { fields: ['model'], atMs: 1_000 }).done).toEqual(['llm', 'llm'])
  expect(recordEdit(goesOn, 'llm', { fields: ['general_prompt'], atMs: 1_900 }).done).toEqual(['llm', 'llm'])
  expect(recordEdit(goesOn, 'agent', { fields: ['general_prompt'], atMs: 1_000 }).done).toEqual(['llm', 'agent'])
})

test('redo follows the order of undo until the next edit', () => {
  const first = planUndo(recordEdits('agent', 'llm'), always)
  const second = planUndo(first?.order ?? NO_EDITS, always)
  const again = planRedo(second?.order ?? NO_EDITS, always)
  expect(again?.name).toBe('agent')
  expect(planRedo(again?.order ?? NO_EDITS, always)?.name).toBe('llm')
  const other = recordEdit(second?.order ?? NO_EDITS, 'llm', { fields: ['model'], atMs: 90_000 })
  expect(planRedo(other, always)).toBeNull()
})

test('skips edits of a draft that was saved', () => {
  const plan = planUndo(recordEdits('agent', 'llm', 'llm'), (name) => name === 'agent')
  expect(plan?.name).toBe('agent')
  expect(planUndo(recordEdits('llm'), () => false)).toBeNull()
})
