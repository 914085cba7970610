import { describe, expect, test } from 'vitest'
import { CreateLlmBody } from './llm.ts'
import { llmErrors, llmWarnings } from './llm-problems.ts'

const end = (name: string) => ({ type: 'end_call', name })
const edge = (destination_state_name: string) => ({ destination_state_name, description: 'When it fits.' })
const read = (body: object) => CreateLlmBody.parse(body)
const pathsOf = (body: object) => llmErrors(read(body)).map(({ path }) => path)

describe('states', () => {
  test('that are consistent have no problems', () => {
    const states = [
      { name: 'a', tools: [end('bye')], edges: [edge('b'), edge('a')] },
      { name: 'b', tools: [end('bye'), end('transition_to_b')], edges: [edge('a')] },
      { name: 'c' },
    ]
    expect(pathsOf({ states, starting_state: 'b', general_tools: [end('hang_up')] })).toEqual([])
    expect(pathsOf({ states })).toEqual([])
    expect(pathsOf({})).toEqual([])
  })

  test('contain the starting state', () => {
    expect(pathsOf({ starting_state: 'a' })).toEqual(['starting_state'])
    expect(pathsOf({ states: [{ name: 'a' }], starting_state: 'b' })).toEqual(['starting_state'])
  })

  test('do not offer duplicate tool names', () => {
    const states = [
      { name: 'a', tools: [end('bye'), end('transition_to_b')], edges: [edge('a'), edge('b'), edge('a')] },
      { name: 'b', tools: [end('own')], edges: [edge('c')] },
      { name: 'c' },
    ]
    expect(pathsOf({ states, general_tools: [end('bye'), end('transition_to_c')] })).toEqual([
      'states[0].tools[0].name',
      'states[0].edges[1].destination_state_name',
      'states[0].edges[2].destination_state_name',
      'states[1].edges[0].destination_state_name',
    ])
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
  expect(llmErrors(read(body))).toEqual([])
  expect(llmWarnings(read(body))).toEqual([
    'The tool "buy" refers to the MCP server "store", which does not exist.',
    'The tool "order" refers to the MCP server "Stock", which does not exist.',
  ])
})
