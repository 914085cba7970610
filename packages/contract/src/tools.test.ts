import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { Tool, ToolList } from './tools.ts'

function listIssuePaths(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value)
  return parsed.success ? [] : parsed.error.issues.map((issue) => issue.path.join('.'))
}

const custom = { type: 'custom', name: 'look_up', url: 'https://example.com/orders' }
const predefined = { type: 'predefined', number: '+14155550100' }
const transfer = {
  type: 'transfer_call',
  name: 'to_person',
  transfer_destination: predefined,
  transfer_option: { type: 'cold_transfer' },
}

const handoffs = {
  public_handoff_option: { type: 'prompt', prompt: 'Introduce the caller.' },
  private_handoff_option: { type: 'static_message', message: 'A caller is waiting.' },
}
const agentic = {
  type: 'agentic_warm_transfer',
  agentic_transfer_config: {
    transfer_agent: { agent_id: 'agent_1', agent_version: 2 },
    transfer_timeout_ms: 30_000,
    action_on_timeout: 'cancel_transfer',
  },
  on_hold_music: 'relaxing_sound',
  enable_bridge_audio_cue: false,
  ...handoffs,
}

describe('accepted tools are returned unchanged', () => {
  const accepted: [string, object][] = [
    ['end_call', { type: 'end_call', name: 'end' }],
    ['common fields', { type: 'end_call', name: 'e', description: '', speak_during_execution: true }],
    ['cold transfer', { ...transfer, transfer_option: { type: 'cold_transfer', cold_transfer_mode: 'sip_refer' } }],
    [
      'warm transfer',
      { ...transfer, transfer_option: { type: 'warm_transfer', agent_detection_timeout_ms: 0, ...handoffs } },
    ],
    ['agentic transfer', { ...transfer, transfer_option: agentic, custom_sip_headers: { 'X-Ticket': '7' } }],
    ['inferred destination', { ...transfer, transfer_destination: { type: 'inferred', prompt: 'Sales or support.' } }],
    ['variable destination', { ...transfer, transfer_destination: { type: 'predefined', number: '{{manager}}' } }],
    ['SIP destination', { ...transfer, transfer_destination: { type: 'predefined', number: 'sip:a@example.com' } }],
    ['agent_swap', { type: 'agent_swap', name: 'swap', agent_id: 'agent_2', keep_current_voice: true }],
    ['press_digit', { type: 'press_digit', name: 'press', delay_ms: 5_000 }],
    ['send_sms', { type: 'send_sms', name: 'sms', sms_content: { type: 'template', template: 'info_collection' } }],
    ['custom, minimal', custom],
    ['custom with a variable as host', { ...custom, url: '{{base_url}}/orders/{{id}}' }],
    ['custom with a variable in the path', { ...custom, url: 'http://example.com/{{order id}}' }],
    [
      'custom, complete',
      {
        ...custom,
        method: 'DELETE',
        headers: { Authorization: 'Bearer {{token}}' },
        query_params: { q: '' },
        parameters: { type: 'object', properties: { someId: { type: 'string' } }, required: ['someId'] },
        parameter_type: 'form',
        args_at_root: true,
        response_variables: { name: '$.customer.name' },
        speak_after_execution: false,
        timeout_ms: 600_000,
        max_retry: 5,
      },
    ],
    ['code', { type: 'code', name: 'sum', code: 'return 1', timeout_ms: 5_000 }],
    [
      'extract_dynamic_variable',
      {
        type: 'extract_dynamic_variable',
        name: 'extract',
        variables: [
          { type: 'enum', name: 'size', description: 'Size', choices: ['s', 'l'] },
          { type: 'string', name: 'city', description: 'City', examples: ['Lyon'], required: true },
        ],
      },
    ],
    ['bridge_transfer', { type: 'bridge_transfer', name: 'bridge' }],
    ['cancel_transfer', { type: 'cancel_transfer', name: 'cancel' }],
    ['mcp', { type: 'mcp', name: 'm', mcp_id: 'crm', input_schema: { a: 'b' } }],
    ['calendar', { type: 'book_appointment_cal', name: 'book', cal_api_key: 'key', event_type_id: 12 }],
  ]
  test.each(accepted)('%s', (_, tool) => {
    expect(Tool.parse(tool)).toEqual(tool)
  })

  test('removes unknown keys and keeps free-form objects', () => {
    const parameters = { type: 'object', anything: [{ deep: null }] }
    expect(Tool.parse({ ...custom, parameters, surprise: 1 })).toEqual({ ...custom, parameters })
  })
})

describe('refused tools name the field', () => {
  const refused: [string, unknown, string[]][] = [
    ['not an object', 'end_call', ['']],
    ['unknown type', { type: 'fly', name: 'f' }, ['type']],
    ['no name', { type: 'end_call' }, ['name']],
    ['name with a space', { type: 'end_call', name: 'end call' }, ['name']],
    ['name of 65 letters', { type: 'end_call', name: 'a'.repeat(65) }, ['name']],
    ['null is not absent', { type: 'end_call', name: 'e', description: null }, ['description']],
    ['ftp', { ...custom, url: 'ftp://example.com' }, ['url']],
    ['relative url', { ...custom, url: '/orders' }, ['url']],
    ['url without a host', { ...custom, url: 'https://' }, ['url']],
    ['timeout and retries', { ...custom, timeout_ms: 999, max_retry: 6 }, ['timeout_ms', 'max_retry']],
    ['schema of an array', { ...custom, parameters: { type: 'array' } }, ['parameters.type']],
    ['header with a line break', { ...custom, headers: { A: 'b\r\nC: d' } }, ['headers.A']],
    ['header name with a space', { ...custom, headers: { 'A B': 'c' } }, ['headers.A B']],
    ['code too long', { type: 'code', name: 'c', code: 'x'.repeat(5_001) }, ['code']],
    ['no destination', { ...transfer, transfer_destination: undefined }, ['transfer_destination']],
    [
      'text instead of a number',
      { ...transfer, transfer_destination: { type: 'predefined', number: 'the boss' } },
      ['transfer_destination.number'],
    ],
    [
      'inferred without prompt',
      { ...transfer, transfer_destination: { type: 'inferred' } },
      ['transfer_destination.prompt'],
    ],
    ['unknown option', { ...transfer, transfer_option: { type: 'hot' } }, ['transfer_option.type']],
    [
      'ring too short',
      { ...transfer, transfer_option: { type: 'cold_transfer', transfer_ring_duration_ms: 4_999 } },
      ['transfer_option.transfer_ring_duration_ms'],
    ],
    [
      'agentic without agent',
      { ...transfer, transfer_option: { type: 'agentic_warm_transfer' } },
      ['transfer_option.agentic_transfer_config'],
    ],
    ['no variables', { type: 'extract_dynamic_variable', name: 'x', variables: [] }, ['variables']],
  ]
  test.each(refused)('%s', (_, tool, paths) => {
    expect(listIssuePaths(Tool, tool)).toEqual(paths)
  })

  test('refuses the second tool with the same name, together with all other issues', () => {
    const tools = [
      { type: 'end_call', name: 'a' },
      { type: 'press_digit', name: 'b', delay_ms: -1 },
      { ...custom, name: 'a' },
    ]
    expect(listIssuePaths(ToolList, tools)).toEqual(['1.delay_ms', '2.name'])
  })

  test('refuses very long texts without a slow pattern', () => {
    const number = '{{'.repeat(1_000_000)
    expect(listIssuePaths(Tool, { ...transfer, transfer_destination: { type: 'predefined', number } })).toEqual([
      'transfer_destination.number',
    ])
    expect(listIssuePaths(Tool, { ...custom, url: `http://${number}` })).toEqual(['url'])
  })
})

const toolLike = fc.record(
  {
    type: fc.constantFrom(...Tool.options.map((option) => [...option.shape.type.values][0])),
    name: fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/),
    description: fc.oneof(fc.string(), fc.jsonValue()),
    url: fc.oneof(fc.webUrl(), fc.string()),
    headers: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.jsonValue()),
    parameters: fc.dictionary(fc.string(), fc.jsonValue()),
    timeout_ms: fc.integer(),
    agent_id: fc.string(),
    code: fc.string(),
    mcp_id: fc.string(),
    transfer_destination: fc.oneof(fc.constant(predefined), fc.jsonValue()),
    transfer_option: fc.oneof(fc.constant(agentic), fc.jsonValue()),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ['type', 'name'] },
)

test('accepts any input without exceptions, and parsing accepted tools again does not change them', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(toolLike, { maxLength: 4 })), (value) => {
      const once = ToolList.safeParse(value)
      if (!once.success) return
      expect(ToolList.parse(JSON.parse(JSON.stringify(once.data)))).toEqual(once.data)
    }),
    { numRuns: 500 },
  )
})
