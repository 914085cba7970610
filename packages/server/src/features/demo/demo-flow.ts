import { CreateChatAgentBody } from '@parley/contract/chat-agent'
import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'

const PRICE_CODE = `const prices = { 'basic service': 49, 'full service': 119, 'flat tire': 15, 'brake pads': 40 }
return { price: prices[dv.job] ?? null }`

const GLOBAL_PROMPT = `You are Robin of Larch Street Cycles, a bicycle repair shop. Answer briefly and only from these facts.
- Opening hours: Monday to Friday from 9:00 to 18:30, Saturday from 10:00 to 16:00
- Basic service: $49
- Full service: $119
- Flat tire: $15 including a new tube
- Brake pads: $40 for both wheels
- Address: 14 Larch Street`

const createPromptEdge = (prompt: string, destination_node_id: string) => ({
  transition_condition: { type: 'prompt', prompt },
  destination_node_id,
})

const NODES = [
  {
    id: 'hello',
    type: 'conversation',
    name: 'Greeting',
    instruction: {
      type: 'static_text',
      text: 'Hello, this is Robin from Larch Street Cycles. Would you like to book a repair, or do you have a question?',
    },
    edges: [
      createPromptEdge('The user wants to book or needs a repair', 'details'),
      createPromptEdge('The user has a question about prices, opening hours or anything else', 'questions'),
    ],
  },
  {
    id: 'questions',
    type: 'conversation',
    name: 'Questions',
    instruction: { type: 'prompt', text: 'Answer the question of the user.' },
    edges: [createPromptEdge('The user wants to book or needs a repair', 'details')],
  },
  {
    id: 'details',
    type: 'extract_dynamic_variables',
    name: 'What is known',
    variables: [
      {
        type: 'enum',
        name: 'job',
        description: 'What the bicycle needs',
        choices: ['basic service', 'full service', 'flat tire', 'brake pads'],
      },
      { type: 'string', name: 'day', description: 'Day on which the bicycle is brought', examples: ['Tuesday'] },
      { type: 'string', name: 'customer_name', description: 'Name of the customer' },
    ],
    edges: [
      {
        transition_condition: { type: 'equation', prompt: 'job exists && day exists && customer_name exists' },
        destination_node_id: 'price',
      },
    ],
    else_edge: { destination_node_id: 'ask' },
  },
  {
    id: 'ask',
    type: 'conversation',
    name: 'Ask for the rest',
    instruction: {
      type: 'prompt',
      text: 'Collect the day on which the bicycle is brought, the name of the customer and the kind of repair.',
    },
    always_edge: { destination_node_id: 'details' },
  },
  {
    id: 'price',
    type: 'code',
    name: 'Price',
    code: PRICE_CODE,
    response_variables: { price: '$.price' },
    edges: [createPromptEdge('The price is known', 'confirm')],
  },
  {
    id: 'confirm',
    type: 'conversation',
    name: 'Confirm',
    instruction: {
      type: 'prompt',
      text: 'Tell the user that a {{job}} on {{day}} costs {{price}} dollars. Ask if the user wants to book it.',
    },
    edges: [
      createPromptEdge('The user agrees', 'booked'),
      createPromptEdge('The user declines or wants something else', 'questions'),
    ],
  },
  {
    id: 'booked',
    type: 'end',
    name: 'Booked',
    instruction: {
      type: 'static_text',
      text: 'It is noted, {{customer_name}}: {{job}} on {{day}} for {{price}} dollars. See you then!',
    },
  },
  {
    id: 'mechanic',
    type: 'conversation',
    name: 'Wants a person',
    instruction: { type: 'static_text', text: 'A mechanic will gladly help you: please call +1 555 010 4477.' },
    global_node_setting: {
      condition: 'The user wants to speak with a person',
      cool_down: 1,
      go_back_conditions: [
        { transition_condition: { type: 'prompt', prompt: 'The user wants to go on with the booking' } },
      ],
    },
  },
]

/** Builds the demo flow, which books a repair and uses the server's default model. */
export function buildDemoFlow(): CreateConversationFlowBody {
  return CreateConversationFlowBody.parse({
    display_name: 'Repair bookings',
    global_prompt: GLOBAL_PROMPT,
    start_node_id: 'hello',
    nodes: NODES,
  })
}

export function buildDemoFlowAgent(conversationFlowId: string): CreateChatAgentBody {
  return CreateChatAgentBody.parse({
    agent_name: 'Robin, bookings (demo)',
    response_engine: { type: 'conversation-flow', conversation_flow_id: conversationFlowId },
    fallback_models: ['offline'],
  })
}
