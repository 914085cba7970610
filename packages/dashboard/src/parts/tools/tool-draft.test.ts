import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findObjectProblem } from './json-text.ts'
import {
  getJsonText,
  getPartText,
  getValueAt,
  isComplete,
  setField,
  setPartText,
  setText,
  switchVariant,
  toToolDraft,
} from './tool-draft.ts'

const tool = { type: 'custom', name: 'look_up', url: 'https://example.com', x_own: { kept: [1] } }

describe('an edited tool', () => {
  test('keeps unknown keys', () => {
    const edited = setField(toToolDraft(tool), 'url', 'https://example.org')
    expect(edited.fields).toEqual({ ...tool, url: 'https://example.org' })
    expect(JSON.parse(getJsonText(edited))).toEqual(edited.fields)
  })

  test('loses only a removed field', () => {
    const nested = setField(toToolDraft(tool), 'transfer_option.agent.agent_id', 'agent_1')
    expect(getValueAt(nested.fields, 'transfer_option.agent')).toEqual({ agent_id: 'agent_1' })
    const gone = setField(nested, 'transfer_option.agent.agent_id', undefined)
    expect(gone.fields).toEqual({ ...tool, transfer_option: { agent: {} } })
  })

  test('addresses list items by number', () => {
    const list = toToolDraft({ variables: [{ name: 'a' }, { name: 'b', required: true }] })
    expect(setField(list, 'variables.1.name', 'c').fields).toEqual({
      variables: [{ name: 'a' }, { name: 'c', required: true }],
    })
    expect(setField(list, 'variables.1.required', undefined).fields).toEqual({
      variables: [{ name: 'a' }, { name: 'b' }],
    })
    expect(getValueAt(list.fields, 'variables.1.name')).toBe('b')
  })

  test('keeps shared fields and the earlier values of a variant', () => {
    const cold = { type: 'cold_transfer', cold_transfer_mode: 'sip_refer', on_hold_music: 'none', x: 1 }
    const shared = ['on_hold_music']
    const warm = switchVariant(cold, { type: 'warm_transfer', before: {}, shared })
    expect(warm).toEqual({ type: 'warm_transfer', on_hold_music: 'none' })
    const louder = { ...warm, on_hold_music: 'ringtone' }
    expect(switchVariant(louder, { type: 'cold_transfer', before: cold, shared })).toEqual({
      ...cold,
      on_hold_music: 'ringtone',
    })
  })

  test('keeps text that is not JSON yet', () => {
    const typed = setText(toToolDraft(tool), '{"type": "custom",\n  "name": }')
    expect(getJsonText(typed)).toBe('{"type": "custom",\n  "name": }')
    expect(typed.fields).toEqual(tool)
    expect(isComplete(typed)).toBe(false)
    const fixed = setText(typed, '{"type": "custom",\n  "name": "a"}')
    expect(fixed.fields).toEqual({ type: 'custom', name: 'a' })
    expect(isComplete(fixed)).toBe(true)
    expect(getJsonText(fixed)).toBe('{"type": "custom",\n  "name": "a"}')
  })

  test('keeps a form part that is not JSON yet', () => {
    const half = setPartText(toToolDraft(tool), 'parameters', '{"type": ')
    expect(isComplete(half)).toBe(false)
    expect(getPartText(setField(half, 'name', 'b'), 'parameters')).toBe('{"type": ')
    expect(getPartText(setText(half, JSON.stringify({ ...tool, name: 'c' })), 'parameters')).toBe('{"type": ')
    const replaced = setText(half, JSON.stringify({ ...tool, parameters: { type: 'object' } }))
    expect(JSON.parse(getPartText(replaced, 'parameters'))).toEqual({ type: 'object' })
    expect(isComplete(replaced)).toBe(true)
  })

  test('has no part for empty text', () => {
    const given = setPartText(toToolDraft(tool), 'parameters', '{"type": "object"}')
    expect(given.fields).toEqual({ ...tool, parameters: { type: 'object' } })
    expect(setPartText(given, 'parameters', ' ').fields).toEqual(tool)
  })

  test('is unchanged after a round trip through JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const given = JSON.parse(JSON.stringify(fields))
        expect(setText(toToolDraft({}), getJsonText(toToolDraft(given))).fields).toEqual(given)
      }),
    )
  })
})

describe('a JSON object', () => {
  test.each(['[]', '1', 'null', '"text"'])('is not %s', (text) => {
    expect(findObjectProblem(text)).toBe('no-object')
  })

  test('is reported when it is invalid', () => {
    expect(findObjectProblem('{\n  "a": }')).toMatchObject({ line: 2, column: 8 })
    expect(findObjectProblem('{"a": 1}')).toBeNull()
  })
})
