import { Tool, ToolList } from '@parley/contract/tools'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutAgent } from './without-agent.ts'

const swap = (name: string, agent_id: string) => Tool.parse({ type: 'agent_swap', name, agent_id })
const destination = { type: 'predefined', number: '+15550100' }
const shared = { on_hold_music: 'relaxing_sound', private_handoff_option: { type: 'prompt', prompt: 'Sum it up.' } }
const transfer = (name: string, option: object) =>
  Tool.parse({
    type: 'transfer_call',
    name,
    transfer_destination: destination,
    transfer_option: { ...option, ...shared },
    custom_sip_headers: { 'X-Desk': '4' },
  })
const agentic = (name: string, agent_id: string) =>
  transfer(name, {
    type: 'agentic_warm_transfer',
    agentic_transfer_config: { transfer_agent: { agent_id, agent_version: 2 }, action_on_timeout: 'cancel_transfer' },
  })
const warm = (name: string) => transfer(name, { type: 'warm_transfer' })
const endCall = Tool.parse({ type: 'end_call', name: 'bye', description: 'Mentions agent_gone.' })

test('swaps to the agent go, its transfers wait for a person, everything else stays', () => {
  const tools = [
    endCall,
    swap('a', 'agent_gone'),
    agentic('b', 'agent_gone'),
    swap('c', 'agent_2'),
    agentic('d', 'agent_2'),
  ]
  expect(withoutAgent(tools, 'agent_gone')).toEqual([endCall, warm('b'), swap('c', 'agent_2'), agentic('d', 'agent_2')])
})

test('a list that does not name the agent is answered as it is', () => {
  const tools = [endCall, swap('a', 'agent_2'), transfer('b', { type: 'cold_transfer' })]
  expect(withoutAgent(tools, 'agent_gone')).toBe(tools)
})

test('what is left never names the agent, can be written back, and letting go twice is the same as once', () => {
  const agents = fc.constantFrom('agent_gone', 'agent_2', 'chat_agent_3')
  const kinds = fc.constantFrom(swap, agentic, (name: string) => warm(name))
  const lists = fc
    .array(fc.tuple(kinds, agents), { maxLength: 8 })
    .map((parts) => parts.map(([make, agentId], index) => make(`tool_${index}`, agentId)))
  fc.assert(
    fc.property(lists, (tools) => {
      const left = withoutAgent(tools, 'agent_gone')
      expect(JSON.stringify(left)).not.toContain('agent_gone')
      expect(ToolList.parse(left)).toEqual(left)
      expect(withoutAgent(left, 'agent_gone')).toBe(left)
      expect(left.length).toBe(
        tools.filter((tool) => tool.type !== 'agent_swap' || tool.agent_id !== 'agent_gone').length,
      )
    }),
  )
})
