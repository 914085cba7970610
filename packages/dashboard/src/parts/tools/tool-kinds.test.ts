import { describe, expect, test } from 'vitest'
import {
  copyTool,
  createTool,
  findAvailableName,
  getToolKind,
  isTestable,
  TOOL_TYPES,
  UNKNOWN_KIND,
} from './tool-kinds.ts'

describe('a new tool', () => {
  test.each(TOOL_TYPES)('of type %s has a unique name', (type) => {
    const firstTool = createTool(type, [])
    const secondTool = createTool(type, [firstTool.name])
    expect(firstTool.type).toBe(type)
    expect(firstTool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(secondTool.name).toBe(`${firstTool.name}_2`)
  })

  test('copied from another tool has the next number in its name', () => {
    const tool = { type: 'end_call', name: 'bye_2', description: 'Ends it.' } as const
    expect(copyTool(tool, ['bye', 'bye_2'])).toEqual({ ...tool, name: 'bye_3' })
  })

  test('has a name within the limit', () => {
    const longName = 'a'.repeat(64)
    expect(findAvailableName(longName, [longName])).toBe(`${'a'.repeat(62)}_2`)
  })
})

test('an unknown type has no form and no test', () => {
  expect(getToolKind('toString')).toBe(UNKNOWN_KIND)
  expect(isTestable('toString')).toBe(false)
  expect(isTestable('custom')).toBe(true)
})
