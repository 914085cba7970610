import { CreateAgentBody } from '@parley/contract/agent'
import type { CreateChatAgentBody } from '@parley/contract/chat-agent'
import type { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { completeKbConfig } from '@parley/contract/knowledge-use'
import type { CreateLlmBody } from '@parley/contract/llm'
import { buildDemoFlow, buildDemoFlowAgent } from './demo-flow.ts'

/** Facts about a fictional shop. Each line contains one fact, so that the offline model can use it as an answer. */
const PROMPT = `You are Robin, the friendly phone and chat assistant of Larch Street Cycles, a bicycle repair shop.
Answer briefly and only from the facts below. If you do not know something, offer that a mechanic calls back.
When the customer says goodbye, end the conversation.

## Opening hours
We are open Monday to Friday from 9:00 to 18:30 and on Saturday from 10:00 to 16:00. We are closed on Sunday.

## Contact
- Our shop is located at 14 Larch Street, next to the old tram depot.
- Phone number: +1 555 010 4477
- Email: hello@larchstreetcycles.example

## Prices
- Basic service: $49, with brakes, gears and tire pressure adjusted
- Full service: $119, with a wash, new cables and wheel truing
- Flat tire: $15 for the puncture repair including a new tube
- Brake pads: $20 per wheel, fitted
- Chain replacement: $35 including the chain
- E-bike check: $69 with a battery report

## Delivery
- Pick-up and delivery: $12 within the city, free with a full service

## Frequently asked questions
Q: Do I need an appointment?
A: No appointment is needed for punctures and brake pads; for a service please book a day ahead.

Q: Do you repair e-bikes?
A: Yes, we repair e-bikes of all makes, but we do not open motors or batteries.

Q: Can I pay by card?
A: You can pay in cash, by card or by phone.

Q: Is there a warranty on repairs?
A: Every repair has a warranty of six months on parts and labour.

Q: How long does a repair take?
A: Most repairs take a day, a full service takes up to three working days.

Q: Do you rent bicycles?
A: City bicycles can be rented for $18 a day while yours is in the workshop.`

/** The demo's LLM configuration, which uses the server's default model. */
export const DEMO_LLM: CreateLlmBody = {
  display_name: 'Bicycle repair shop',
  model: null,
  model_temperature: null,
  general_prompt: PROMPT,
  begin_message: 'Hello, this is Robin from Larch Street Cycles. How can I help you?',
  begin_after_user_silence_ms: null,
  responsiveness: 'balanced',
  general_tools: [
    {
      type: 'end_call',
      name: 'end_conversation',
      description: 'Ends the conversation once the customer has said goodbye and needs nothing else.',
    },
  ],
  states: [],
  starting_state: null,
  mcps: [],
  knowledge_base_ids: [],
  kb_config: completeKbConfig({}),
  default_dynamic_variables: {},
}

function buildDemoAgent(llmId: string): CreateAgentBody {
  return CreateAgentBody.parse({
    response_engine: { type: 'llm', llm_id: llmId },
    voice_id: 'voice_builtin_slt',
    agent_name: 'Robin (demo)',
    fallback_models: ['offline'],
  })
}

/** Creates resources in other features. Each function returns the new resource's id. */
export interface DemoServices {
  readonly createLlm: (workspaceId: number, body: CreateLlmBody) => Promise<string>
  readonly createAgent: (workspaceId: number, body: CreateAgentBody) => Promise<string>
  readonly createFlow: (workspaceId: number, body: CreateConversationFlowBody) => Promise<string>
  readonly createChatAgent: (workspaceId: number, body: CreateChatAgentBody) => Promise<string>
  readonly createChat: (workspaceId: number, agentId: string) => Promise<string>
}

interface SeededDemo {
  readonly llmId: string
  readonly agentId: string
  readonly chatId: string
  /** Agent that books repairs with a conversation flow. */
  readonly flowAgentId: string
}

/** Creates a voice agent with an LLM configuration, a chat without user messages, and a chat agent with a conversation flow. */
export async function seedDemo(services: DemoServices, workspaceId: number): Promise<SeededDemo> {
  const llmId = await services.createLlm(workspaceId, DEMO_LLM)
  const agentId = await services.createAgent(workspaceId, buildDemoAgent(llmId))
  const chatId = await services.createChat(workspaceId, agentId)
  const flowId = await services.createFlow(workspaceId, buildDemoFlow())
  const flowAgentId = await services.createChatAgent(workspaceId, buildDemoFlowAgent(flowId))
  return { llmId, agentId, chatId, flowAgentId }
}
