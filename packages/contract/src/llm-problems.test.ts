import { describe, expect, test } from 'vitest'
import { CreateLlmBody } from './llm.ts'
import { findLlmErrors, findLlmWarnings } from './llm-problems.ts'

const createEndTool = (name: string) => ({ type: 'end_call', name })
const createStateEdge = (destination_state_name: string) => ({ destination_state_name, description: 'When it fits.' })
const parseBody = (body: object) => CreateLlmBody.parse(body)
const findErrorPaths = (body: object) => findLlmErrors(parseBody(body)).map(({ path }) => path)

describe('states', () => {
  test('that are consistent have no problems', () => {
    const states = [
      { name: 'a', tools: [createEndTool('bye')], edges: [createStateEdge('b'), createStateEdge('a')] },
      { name: 'b', tools: [createEndTool('bye'), createEndTool('transition_to_b')], edges: [createStateEdge('a')] },
      { name: 'c' },
    ]
    expect(findErrorPaths({ states, starting_state: 'b', general_tools: [createEndTool('hang_up')] })).toEqual([])
    expect(findErrorPaths({ states })).toEqual([])
    expect(findErrorPaths({})).toEqual([])
  })

  test('contain the starting state', () => {
    expect(findErrorPaths({ starting_state: 'a' })).toEqual(['starting_state'])
    expect(findErrorPaths({ states: [{ name: 'a' }], starting_state: 'b' })).toEqual(['starting_state'])
  })

  test('do not offer duplicate tool names', () => {
    const states = [
      {
        name: 'a',
        tools: [createEndTool('bye'), createEndTool('transition_to_b')],
        edges: [createStateEdge('a'), createStateEdge('b'), createStateEdge('a')],
      },
      { name: 'b', tools: [createEndTool('own')], edges: [createStateEdge('c')] },
      { name: 'c' },
    ]
    expect(findErrorPaths({ states, general_tools: [createEndTool('bye'), createEndTool('transition_to_c')] })).toEqual(
      [
        'states[0].tools[0].name',
        'states[0].edges[1].destination_state_name',
        'states[0].edges[2].destination_state_name',
        'states[1].edges[0].destination_state_name',
      ],
    )
  })
})

test('names tools of unknown MCP servers', () => {
  const mcp = (name: string, mcp_id: string) => ({ type: 'mcp', name, mcp_id })
  const body = {
    mcps: [
      { name: 'Shop', url: 'https://shop.example/mcp' },
      { mcp_id: 'stock', name: 'Stock', url: 'https://stock.example' },
    ],
    general_tools: [mcp('find', 'Shop'), mcp('buy', 'store')],
    states: [{ name: 'a', tools: [mcp('count', 'stock'), mcp('order', 'Stock')] }],
  }
  expect(findLlmErrors(parseBody(body))).toEqual([])
  expect(findLlmWarnings(parseBody(body))).toEqual([
    'The tool "buy" refers to the MCP server "store", which does not exist.',
    'The tool "order" refers to the MCP server "Stock", which does not exist.',
  ])
})
