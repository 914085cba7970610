import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createDraft,
  type DraftState,
  edit,
  getEditedValue,
  isEdited,
  isJsonEqual,
  listChangedFields,
  markSaved,
  rebase,
  redo,
  undo,
  updateBase,
} from './draft-state.ts'

interface Note {
  readonly title: string
  readonly text: string
  readonly tags: readonly string[]
}

const FIRST: Note = { title: 'Menu', text: 'Bread', tags: ['a'] }
const createState = (): DraftState<Note> => createDraft({ value: FIRST, etag: '"1"' })

describe('edits', () => {
  test('are applied on top of the stored record', () => {
    const state = edit(createState(), { text: 'Cake' }, 0)
    expect(getEditedValue(state)).toEqual({ ...FIRST, text: 'Cake' })
    expect(state.edits).toEqual({ text: 'Cake' })
  })

  test('that restore a field are dropped', () => {
    const state = edit(edit(createState(), { tags: ['b'] }, 0), { tags: ['a'] }, 5_000)
    expect(isEdited(state)).toBe(false)
  })

  test('typed into one field without a pause are one undo step', () => {
    let state = createState()
    for (const [index, text] of ['B', 'Br', 'Bri'].entries()) state = edit(state, { text }, index * 100)
    state = edit(state, { text: 'Brie' }, 5_000)
    expect(getEditedValue(undo(state)).text).toBe('Bri')
    expect(getEditedValue(undo(undo(state))).text).toBe('Bread')
  })

  test('in two fields are two undo steps', () => {
    const state = edit(edit(createState(), { text: 'Cake' }, 0), { title: 'Card' }, 10)
    expect(getEditedValue(undo(state))).toEqual({ ...FIRST, text: 'Cake' })
  })
})

describe('updates from the server', () => {
  const latest = { value: { ...FIRST, title: 'Card' }, etag: '"2"' }

  test('are displayed while there are no edits', () => {
    expect(getEditedValue(updateBase(createState(), latest)).title).toBe('Card')
  })

  test('change neither the edits nor their base', () => {
    const state = edit(createState(), { text: 'Cake' }, 0)
    expect(updateBase(state, latest)).toBe(state)
  })

  test('become the new base of the edits', () => {
    const state = rebase(edit(createState(), { text: 'Cake' }, 0), latest)
    expect(getEditedValue(state)).toEqual({ ...FIRST, title: 'Card', text: 'Cake' })
    expect(state.base.etag).toBe('"2"')
  })
})

describe('a save', () => {
  test('keeps edits made during the request', () => {
    const sentState = edit(createState(), { text: 'Cake' }, 0)
    const editedState = edit(sentState, { title: 'Card' }, 10)
    const state = markSaved(editedState, sentState.edits, { value: { ...FIRST, text: 'Cake' }, etag: '"2"' })
    expect(state.edits).toEqual({ title: 'Card' })
    expect(state.base.etag).toBe('"2"')
  })

  test('keeps newer text of a field that was edited during the save', () => {
    const sentState = edit(createState(), { text: 'Cak' }, 0)
    const editedState = edit(sentState, { text: 'Cake' }, 10)
    const state = markSaved(editedState, sentState.edits, { value: { ...FIRST, text: 'Cak' }, etag: '"2"' })
    expect(getEditedValue(state).text).toBe('Cake')
  })
})

const text = fc.constantFrom('', 'a', 'b', 'Bread')
const changes = fc.record({ title: text, text, tags: fc.array(text, { maxLength: 2 }) }, { requiredKeys: [] })
const steps = fc.array(fc.tuple(changes, fc.integer({ min: 0, max: 3_000 })), { maxLength: 40 })

/** Applies edits and returns every intermediate state. */
function applyEdits(editSteps: readonly (readonly [Partial<Note>, number])[]): DraftState<Note>[] {
  const states = [createState()]
  let atMs = 0
  for (const [fields, pauseMs] of editSteps) {
    atMs += pauseMs
    states.push(edit(states.at(-1) ?? createState(), fields, atMs))
  }
  return states
}

test('undoing all edits restores the stored record, and redoing them restores the last edit', () => {
  fc.assert(
    fc.property(steps, (editSteps) => {
      const finalState = applyEdits(editSteps).at(-1) ?? createState()
      let state = finalState
      while (state.past.length > 0) state = undo(state)
      expect(getEditedValue(state)).toEqual(FIRST)
      while (state.future.length > 0) state = redo(state)
      expect(getEditedValue(state)).toEqual(getEditedValue(finalState))
    }),
  )
})

test('only changed fields are sent', () => {
  fc.assert(
    fc.property(steps, (editSteps) => {
      for (const state of applyEdits(editSteps)) {
        expect(Object.keys(state.edits).sort()).toEqual(listChangedFields(FIRST, getEditedValue(state)).sort())
      }
    }),
  )
})

test('values are equal when their JSON is equal', () => {
  const sortFields = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(sortFields)
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, sortFields(item)])
  }
  const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: true } as object)
  fc.assert(
    fc.property(json, json, (first, second) => {
      expect(isJsonEqual(first, structuredClone(first))).toBe(true)
      const isEqual = JSON.stringify(sortFields(first)) === JSON.stringify(sortFields(second))
      if (isJsonEqual(first, second)) expect(isEqual).toBe(true)
    }),
  )
})
