import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  acceptLatest,
  createDraft,
  type DraftState,
  edit,
  getEditedValue,
  isEdited,
  isSame,
  listChangedFields,
  rebase,
  redo,
  settle,
  undo,
} from './draft-state.ts'

interface Note {
  readonly title: string
  readonly text: string
  readonly tags: readonly string[]
}

const FIRST: Note = { title: 'Menu', text: 'Bread', tags: ['a'] }
const start = (): DraftState<Note> => createDraft({ value: FIRST, etag: '"1"' })

describe('edits', () => {
  test('are applied on top of the stored record', () => {
    const state = edit(start(), { text: 'Cake' }, 0)
    expect(getEditedValue(state)).toEqual({ ...FIRST, text: 'Cake' })
    expect(state.edits).toEqual({ text: 'Cake' })
  })

  test('that restore a field are dropped', () => {
    const state = edit(edit(start(), { tags: ['b'] }, 0), { tags: ['a'] }, 5_000)
    expect(isEdited(state)).toBe(false)
  })

  test('typed into one field without a pause are one undo step', () => {
    let state = start()
    for (const [at, text] of ['B', 'Br', 'Bri'].entries()) state = edit(state, { text }, at * 100)
    state = edit(state, { text: 'Brie' }, 5_000)
    expect(getEditedValue(undo(state)).text).toBe('Bri')
    expect(getEditedValue(undo(undo(state))).text).toBe('Bread')
  })

  test('in two fields are two undo steps', () => {
    const state = edit(edit(start(), { text: 'Cake' }, 0), { title: 'Card' }, 10)
    expect(getEditedValue(undo(state))).toEqual({ ...FIRST, text: 'Cake' })
  })
})

describe('updates from the server', () => {
  const news = { value: { ...FIRST, title: 'Card' }, etag: '"2"' }

  test('are shown while nothing is edited', () => {
    expect(getEditedValue(acceptLatest(start(), news)).title).toBe('Card')
  })

  test('change neither the edits nor their base', () => {
    const state = edit(start(), { text: 'Cake' }, 0)
    expect(acceptLatest(state, news)).toBe(state)
  })

  test('become the new base of the edits', () => {
    const state = rebase(edit(start(), { text: 'Cake' }, 0), news)
    expect(getEditedValue(state)).toEqual({ ...FIRST, title: 'Card', text: 'Cake' })
    expect(state.base.etag).toBe('"2"')
  })
})

describe('a save', () => {
  test('keeps edits made during the request', () => {
    const sent = edit(start(), { text: 'Cake' }, 0)
    const typed = edit(sent, { title: 'Card' }, 10)
    const state = settle(typed, sent.edits, { value: { ...FIRST, text: 'Cake' }, etag: '"2"' })
    expect(state.edits).toEqual({ title: 'Card' })
    expect(state.base.etag).toBe('"2"')
  })

  test('keeps newer text of a field that was edited during the save', () => {
    const sent = edit(start(), { text: 'Cak' }, 0)
    const typed = edit(sent, { text: 'Cake' }, 10)
    const state = settle(typed, sent.edits, { value: { ...FIRST, text: 'Cak' }, etag: '"2"' })
    expect(getEditedValue(state).text).toBe('Cake')
  })
})

const text = fc.constantFrom('', 'a', 'b', 'Bread')
const changes = fc.record({ title: text, text, tags: fc.array(text, { maxLength: 2 }) }, { requiredKeys: [] })
const steps = fc.array(fc.tuple(changes, fc.integer({ min: 0, max: 3_000 })), { maxLength: 40 })

/** Applies edits and returns every intermediate state. */
function applyEdits(list: readonly (readonly [Partial<Note>, number])[]): DraftState<Note>[] {
  const states = [start()]
  let atMs = 0
  for (const [fields, pauseMs] of list) {
    atMs += pauseMs
    states.push(edit(states.at(-1) ?? start(), fields, atMs))
  }
  return states
}

test('for any edits, undoing all restores the stored record and redoing all restores the last edit', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const last = applyEdits(list).at(-1) ?? start()
      let state = last
      while (state.past.length > 0) state = undo(state)
      expect(getEditedValue(state)).toEqual(FIRST)
      while (state.future.length > 0) state = redo(state)
      expect(getEditedValue(state)).toEqual(getEditedValue(last))
    }),
  )
})

test('for any edits, only changed fields are sent', () => {
  fc.assert(
    fc.property(steps, (list) => {
      for (const state of applyEdits(list)) {
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
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, item]) => [name, sortFields(item)])
  }
  const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: true } as object)
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(isSame(one, structuredClone(one))).toBe(true)
      const isEqual = JSON.stringify(sortFields(one)) === JSON.stringify(sortFields(other))
      if (isSame(one, other)) expect(isEqual).toBe(true)
    }),
  )
})
