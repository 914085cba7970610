import { describe, expect, test } from 'vitest'
import type { CodeOutcome, CodeRun, McpCall } from '../../ports.ts'
import { joinStreamedText, runScenario, type ScenarioOptions, selectEvents } from '../../testing/dialogue-scenario.ts'
import {
  callTools,
  createHttpOutcome,
  createScriptedHttpTools,
  createScriptedModel,
  replyWith,
} from '../../testing/index.ts'
import type { DialogueState } from '../conversation.ts'

type Tools = NonNullable<NonNullable<ScenarioOptions['engine']>['tools']>

async function runTool(tools: Tools, calls: readonly (readonly [string, unknown])[], options: ScenarioOptions = {}) {
  const main = createScriptedModel([callTools(...calls), replyWith('Done.')])
  const events = await runScenario({ ...options, models: { main }, engine: { ...options.engine, tools } })
  return { main, events, results: selectEvents(events, 'tool-result') }
}

describe('code', () => {
  const TOTAL = {
    type: 'code',
    name: 'total',
    code: 'return { total: Number(dv.price) * 2 }',
    response_variables: { total: '$.total' },
  } as const

  function createCodePort(outcome: CodeOutcome) {
    const runs: CodeRun[] = []
    const run = async (asked: CodeRun): Promise<CodeOutcome> => {
      runs.push(asked)
      return outcome
    }
    return { runs, code: { run } }
  }

  test('reads variables and metadata; its result becomes variables', async () => {
    const port = createCodePort({ ok: true, resultText: '{"total":42}', durationMs: 3 })
    const { events, results } = await runTool([TOTAL], [['total', {}]], {
      ports: { code: port.code },
      conversation: { variables: { system: {}, given: { price: '21' }, override: {} }, metadata: { shop: 7 } },
    })
    expect(port.runs).toMatchObject([{ variables: { price: '21' }, metadata: { shop: 7 }, timeoutMs: 30_000 }])
    expect(results).toMatchObject([{ ok: true, content: '{"total":42}', durationMs: 3 }])
    expect(events.at(-1)).toMatchObject({ state: { collectedVariables: { total: '42' } } })
  })

  test('reports failures to the model', async () => {
    const message = 'TypeError: x is not a function (line 1)'
    const port = createCodePort({ ok: false, reason: 'error', message, durationMs: 1 })
    const { results } = await runTool([TOTAL], [['total', {}]], { ports: { code: port.code } })
    expect(results).toMatchObject([{ ok: false, content: `The tool failed (error): ${message}` }])
  })
})

describe('extraction', () => {
  const DETAILS = {
    type: 'extract_dynamic_variable',
    name: 'details',
    variables: [
      { type: 'string', name: 'city', description: 'Where.' },
      { type: 'number', name: 'guests', description: 'How many.', required: true },
      { type: 'boolean', name: 'smoking', description: 'Smokes.' },
      { type: 'enum', name: 'meal', description: 'Which meal.', choices: ['Lunch', 'Dinner'] },
    ],
  } as const

  test('stores valid values and names missing ones', async () => {
    const args = { city: ' Rome ', smoking: true, meal: 'dinner' }
    const { events, results } = await runTool(
      [{ ...DETAILS, variables: [...DETAILS.variables] } as never],
      [['details', { ...args, meal: 'Dinner' }]],
    )
    expect(results[0]?.content).toBe('Stored: city, smoking, meal. Still missing: guests; ask the user for it.')
    expect(events.at(-1)).toMatchObject({
      state: { collectedVariables: { city: 'Rome', smoking: 'true', meal: 'Dinner' } },
    })
  })
})

describe('text messages', () => {
  const SMS = { type: 'send_sms', name: 'text', sms_content: { type: 'predefined', text: 'Hi {{name}}' } } as const

  test('are stored with their delivery result', async () => {
    const { events, results } = await runTool([SMS], [['text', {}]], {
      conversation: { variables: { system: { user_number: '+15550100' }, given: { name: 'Ada' }, override: {} } },
    })
    expect(selectEvents(events, 'action')).toEqual([
      {
        type: 'action',
        action: {
          type: 'send-sms',
          message: { toNumber: '+15550100', text: 'Hi Ada' },
          outcome: { status: 'unsent', reason: 'No carrier is connected.' },
        },
      },
    ])
    expect(results).toMatchObject([
      { ok: false, content: 'The message was kept but not sent: No carrier is connected.' },
    ])
  })
})

describe('MCP', () => {
  const LOOK_UP = { type: 'mcp', name: 'look_up', mcp_id: 'crm', response_variables: { plan: '$.plan' } } as const
  const CRM = { name: 'crm', url: 'https://crm.example/{{region}}', headers: { 'x-key': '{{key}}' } }

  function createMcpPort() {
    const calls: McpCall[] = []
    const call = async (made: McpCall) => {
      calls.push(made)
      return { ok: true, bodyText: '{"plan":"gold"}', durationMs: 2 } as const
    }
    return { calls, mcp: { call, listTools: async () => Promise.reject(new Error('not asked')) } }
  }
  const variables = { system: {}, given: { region: 'eu', key: 'k' }, override: {} }

  test('calls the named tool at the rendered server', async () => {
    const port = createMcpPort()
    const { events } = await runTool([LOOK_UP], [['look_up', { id: 5 }]], {
      ports: { mcp: port.mcp },
      engine: { mcps: [CRM] },
      conversation: { variables },
    })
    expect(port.calls).toMatchObject([
      { toolName: 'look_up', args: { id: 5 }, server: { url: 'https://crm.example/eu', headers: { 'x-key': 'k' } } },
    ])
    expect(events.at(-1)).toMatchObject({ state: { collectedVariables: { plan: 'gold' } } })
  })

  test('an unknown server is a failed tool call', async () => {
    const { results } = await runTool([LOOK_UP], [['look_up', {}]])
    expect(results).toMatchObject([{ ok: false, content: expect.stringContaining('no MCP server "crm"') }])
  })

  test('with approval only the exact approved call runs', async () => {
    const port = createMcpPort()
    const strict = { ...CRM, require_approval: 'always' as const }
    const options = { ports: { mcp: port.mcp }, engine: { mcps: [strict] }, conversation: { variables } }
    const asked = await runTool([LOOK_UP], [['look_up', { id: 5, name: 'x' }]], options)
    expect(port.calls).toEqual([])
    const end = asked.events.at(-1)
    const state: DialogueState | null = end?.type === 'turn-end' ? end.state : null
    expect(state?.approvals).toEqual([{ toolName: 'look_up', args: { id: 5, name: 'x' } }])
    const next = { ...options, conversation: { variables, state } }
    await runTool([LOOK_UP], [['look_up', { id: 6, name: 'x' }]], next)
    expect(port.calls).toEqual([])
    const done = await runTool([LOOK_UP], [['look_up', { name: 'x', id: 5 }]], next)
    expect(port.calls).toHaveLength(1)
    expect(done.events.at(-1)).not.toHaveProperty('state.approvals')
  })

  test('an approved tool runs without a request', async () => {
    const port = createMcpPort()
    const server = { ...CRM, require_approval: 'always' as const, approved_tools: ['look_up'] }
    await runTool([LOOK_UP], [['look_up', {}]], { ports: { mcp: port.mcp }, engine: { mcps: [server] } })
    expect(port.calls).toHaveLength(1)
  })
})

describe('execution messages', () => {
  const SLOW = { type: 'custom', name: 'slow', url: 'https://example.com', speak_during_execution: true } as const
  const http = () => createScriptedHttpTools({ slow: [createHttpOutcome('ok')] })

  test('are written by the model and hidden from the endpoint', async () => {
    const tools = http()
    const { main, events } = await runTool([SLOW], [['slow', { a: 1, execution_message: 'One moment.' }]], {
      http: tools,
    })
    expect(main.requests[0]?.tools[0]?.parameters).toHaveProperty('properties.execution_message')
    expect(joinStreamedText(events)).toBe('One moment.Done.')
    expect(tools.calls[0]?.args).toEqual({ a: 1 })
  })

  test('are rendered if static', async () => {
    const tool = {
      ...SLOW,
      execution_message_type: 'static_text',
      execution_message_description: 'Wait, {{name}}.',
    } as const
    const { events } = await runTool([tool], [['slow', {}]], {
      http: http(),
      conversation: { variables: { system: {}, given: { name: 'Ada' }, override: {} } },
    })
    expect(joinStreamedText(events)).toBe('Wait, Ada.Done.')
  })
})

describe('mocks', () => {
  const WEATHER = {
    type: 'custom',
    name: 'weather',
    url: 'https://example.com',
    response_variables: { sky: '$.sky' },
  } as const

  test('replace matching calls', async () => {
    const http = createScriptedHttpTools({ weather: [createHttpOutcome('real')] })
    const mock = { toolName: 'weather', args: { city: 'Rome' }, output: '{"sky":"blue"}', ok: true }
    const calls = [
      ['weather', { city: 'Rome', day: 1 }],
      ['weather', { city: 'Oslo' }],
    ] as const
    const { events, results } = await runTool([WEATHER], calls, { http, conversation: { toolMocks: [mock] } })
    expect(results.map(({ content }) => content)).toEqual(['{"sky":"blue"}', 'real'])
    expect(events.at(-1)).toMatchObject({ state: { collectedVariables: { sky: 'blue' } } })
  })
})
