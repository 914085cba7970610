import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CreateAgentBody, UpdateAgentBody } from '../agent.ts'
import { CreateChatAgentBody, UpdateChatAgentBody } from '../chat-agent.ts'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from './agent-settings.ts'
import { copyDefaults, defineSettings, pickSettings, type Setting, toEngineOptions } from './setting.ts'
import { buildSettingFields } from './setting-fields.ts'

const words = { description: 'What it does.', group: 'turns', label: 'Trial' } as const
const SETTINGS = defineSettings({
  pause_ms: { ...words, type: 'integer', minimum: 5, maximum: 9, default: 7, option: 'pauseMs' },
  note: { ...words, type: 'text', maxLength: 3, default: null },
  sound: { ...words, type: 'choice', choices: { low: 'Low', high: 'High' }, default: 'low', option: 'sound' },
  words: { ...words, type: 'lines', maxLength: 4, maxItems: 2, default: [] },
  place: { ...words, type: 'custom', default: 'here', isUpdateOnly: true },
})
const fields = buildSettingFields(SETTINGS, { place: { body: z.string().regex(/^h/) } })
const create = z.object(fields.create)
const update = z.object(fields.update)

describe('a descriptor defines', () => {
  test('bodies with bounds and defaults', () => {
    const defaults = { pause_ms: 7, note: null, sound: 'low', words: [] }
    expect(create.parse({})).toEqual(defaults)
    expect(create.parse({ pause_ms: null, note: null, sound: null, words: null })).toEqual(defaults)
    expect(update.parse({})).toEqual({})
    expect(update.parse({ pause_ms: null, place: null })).toEqual({ pause_ms: 7, place: 'here' })
    const wrong = update.safeParse({
      pause_ms: 10,
      note: 'long',
      sound: 'loud',
      words: ['a', 'b', 'c'],
      place: 'there',
    })
    expect(wrong.error?.issues.map(({ path }) => path[0])).toEqual(['pause_ms', 'note', 'sound', 'words', 'place'])
    expect(fields.response.pause_ms.meta()).toEqual({ description: 'What it does.' })
  })

  test('defaults, given values and engine options', () => {
    const stored = { pause_ms: 5, note: undefined, another: true }
    expect(pickSettings(SETTINGS, stored)).toEqual({ pause_ms: 5 })
    const values = { ...copyDefaults(SETTINGS), ...pickSettings(SETTINGS, stored) }
    expect(values).toEqual({ pause_ms: 5, note: null, sound: 'low', words: [], place: 'here' })
    expect(toEngineOptions(SETTINGS, values)).toEqual({ pauseMs: 5, sound: 'low' })
    expect(copyDefaults(SETTINGS).words).not.toBe(copyDefaults(SETTINGS).words)
  })
})

describe.each([
  ['agents', AGENT_SETTINGS, CreateAgentBody, UpdateAgentBody],
  ['chat agents', CHAT_AGENT_SETTINGS, CreateChatAgentBody, UpdateChatAgentBody],
] as const)('settings of %s', (_kind, settings, createBody, updateBody) => {
  const entries: readonly (readonly [string, Setting])[] = Object.entries(settings)

  test('are all body fields besides workspace, version and engine', () => {
    const otherFields = ['workspaceId', 'version', 'response_engine']
    const inBody = (body: { readonly shape: object }) =>
      Object.keys(body.shape).filter((name) => !otherFields.includes(name))
    const created = entries.filter(([, { isUpdateOnly = false }]) => !isUpdateOnly)
    expect(inBody(updateBody).sort()).toEqual(entries.map(([name]) => name).sort())
    expect(inBody(createBody).sort()).toEqual(created.map(([name]) => name).sort())
  })

  test('have valid defaults', () => {
    const defaults = copyDefaults(settings)
    const update = updateBody.parse(Object.fromEntries(Object.keys(defaults).map((name) => [name, null])))
    expect(update).toEqual(defaults)
    expect(updateBody.parse(defaults)).toEqual(defaults)
  })

  test('depend on existing switches and have unique options', () => {
    for (const [, { needs }] of entries) {
      if (needs !== undefined) expect(entries.find(([name]) => name === needs)?.[1].type).toBe('switch')
    }
    const options = entries.flatMap(([, { option }]) => option ?? [])
    expect(new Set(options).size).toBe(options.length)
  })
})
