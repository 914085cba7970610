import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findObjectProblem } from './json-text.ts'
import {
  getFieldText,
  getJsonText,
  getValueAt,
  isValidDraft,
  setField,
  setFieldText,
  setJsonText,
  switchVariant,
  toToolDraft,
} from './tool-draft.ts'

const tool = { type: 'custom', name: 'look_up', url: 'https://example.com', x_custom: { values: [1] } }

describe('an edited tool', () => {
  test('keeps unknown keys', () => {
    const editedDraft = setField(toToolDraft(tool), 'url', 'https://example.org')
    expect(editedDraft.fields).toEqual({ ...tool, url: 'https://example.org' })
    expect(JSON.parse(getJsonText(editedDraft))).toEqual(editedDraft.fields)
  })

  test('removes a single field', () => {
    const nestedDraft = setField(toToolDraft(tool), 'transfer_option.agent.agent_id', 'agent_1')
    expect(getValueAt(nestedDraft.fields, 'transfer_option.agent')).toEqual({ agent_id: 'agent_1' })
    const draftWithoutField = setField(nestedDraft, 'transfer_option.agent.agent_id', undefined)
    expect(draftWithoutField.fields).toEqual({ ...tool, transfer_option: { agent: {} } })
  })

  test('addresses list items by number', () => {
    const listDraft = toToolDraft({ variables: [{ name: 'a' }, { name: 'b', required: true }] })
    expect(setField(listDraft, 'variables.1.name', 'c').fields).toEqual({
      variables: [{ name: 'a' }, { name: 'c', required: true }],
    })
    expect(setField(listDraft, 'variables.1.required', undefined).fields).toEqual({
      variables: [{ name: 'a' }, { name: 'b' }],
    })
    expect(getValueAt(listDraft.fields, 'variables.1.name')).toBe('b')
  })

  test('keeps shared fields and restores the fields of a variant', () => {
    const coldTransfer = { type: 'cold_transfer', cold_transfer_mode: 'sip_refer', on_hold_music: 'none', x: 1 }
    const shared = ['on_hold_music']
    const warmTransfer = switchVariant(coldTransfer, { type: 'warm_transfer', previousFields: {}, sharedNames: shared })
    expect(warmTransfer).toEqual({ type: 'warm_transfer', on_hold_music: 'none' })
    const warmTransferWithRingtone = { ...warmTransfer, on_hold_music: 'ringtone' }
    expect(
      switchVariant(warmTransferWithRingtone, {
        type: 'cold_transfer',
        previousFields: coldTransfer,
        sharedNames: shared,
      }),
    ).toEqual({
      ...coldTransfer,
      on_hold_music: 'ringtone',
    })
  })

  test('keeps text that is not JSON yet', () => {
    const invalidDraft = setJsonText(toToolDraft(tool), '{"type": "custom",\n  "name": }')
    expect(getJsonText(invalidDraft)).toBe('{"type": "custom",\n  "name": }')
    expect(invalidDraft.fields).toEqual(tool)
    expect(isValidDraft(invalidDraft)).toBe(false)
    const fixedDraft = setJsonText(invalidDraft, '{"type": "custom",\n  "name": "a"}')
    expect(fixedDraft.fields).toEqual({ type: 'custom', name: 'a' })
    expect(isValidDraft(fixedDraft)).toBe(true)
    expect(getJsonText(fixedDraft)).toBe('{"type": "custom",\n  "name": "a"}')
  })

  test('keeps the text of a form part that is not JSON yet', () => {
    const invalidDraft = setFieldText(toToolDraft(tool), 'parameters', '{"type": ')
    expect(isValidDraft(invalidDraft)).toBe(false)
    expect(getFieldText(setField(invalidDraft, 'name', 'b'), 'parameters')).toBe('{"type": ')
    expect(getFieldText(setJsonText(invalidDraft, JSON.stringify({ ...tool, name: 'c' })), 'parameters')).toBe(
      '{"type": ',
    )
    const replacedDraft = setJsonText(invalidDraft, JSON.stringify({ ...tool, parameters: { type: 'object' } }))
    expect(JSON.parse(getFieldText(replacedDraft, 'parameters'))).toEqual({ type: 'object' })
    expect(isValidDraft(replacedDraft)).toBe(true)
  })

  test('has no part for empty text', () => {
    const draftWithPart = setFieldText(toToolDraft(tool), 'parameters', '{"type": "object"}')
    expect(draftWithPart.fields).toEqual({ ...tool, parameters: { type: 'object' } })
    expect(setFieldText(draftWithPart, 'parameters', ' ').fields).toEqual(tool)
  })

  test('is unchanged after a round trip through JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const jsonFields = JSON.parse(JSON.stringify(fields))
        expect(setJsonText(toToolDraft({}), getJsonText(toToolDraft(jsonFields))).fields).toEqual(jsonFields)
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
