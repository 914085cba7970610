import type { ModelEvent, ModelMessage, ModelRequest, ModelTool } from '../../ports.ts'
import { createOfflineModel } from './offline-model.ts'

/** Prompts, tools and one-line conversations for the tests of the offline model. */

export const bakery = `You are Ada, the assistant of Rosa's Bakery. Answer briefly. Opening hours: Mon–Fri 7–18, Sat 8–14. We deliver within 5 km for 4 €.
Never promise discounts. You can pay by card or cash. If someone asks about allergens, say that all our products may contain traces of nuts.
Our shop is at 12 Mill Street. Always stay polite.`
export const clinic = `# Role
You are the receptionist of Lakeside Clinic.
## Style
- Keep it short.
- Ask one question at a time.
## Services
- General check-ups
- Vaccinations
- Blood tests
## Fees
A check-up costs 80 €.
| Service | Price |
|---|---|
| Vaccination | 25 € |
## FAQ
Q: Do I need an appointment?
A: Yes, except for vaccinations on Tuesday afternoons.
## Parking
Patients park free of charge behind the building. The gate code is 4711. Do not share the gate code.
Please bring your insurance card.
If you are late by more than 15 minutes, we may have to reschedule.`
export const bikes = `You work for Velo Rent in Graz. Be friendly and use short sentences.

**City bike**: 15 € per day
**E-bike**: 35 € per day
Deposit: 100 € in cash or by card
Helmets are free. Children's bikes start at 8 € per day.
Can I return the bike elsewhere?
Yes, at our station shop until 20:00.
Late returns cost 5 € per hour.
You can reserve by phone at +43 316 123456 or by mail at hello@velo.example.
Opening times: daily 9 am to 6 pm from April to October.
Closed in winter.`

export interface Answer {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: unknown }[]
  readonly events: readonly ModelEvent[]
}

export async function generate(request: Partial<ModelRequest> & Pick<ModelRequest, 'messages'>): Promise<Answer> {
  const events: ModelEvent[] = []
  const signal = new AbortController().signal
  for await (const event of createOfflineModel().stream({ tools: [], toolChoice: 'auto', signal, ...request }))
    events.push(event)
  return {
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
    calls: events.flatMap((event) =>
      event.type === 'tool-call'
        ? [{ name: event.call.name, args: JSON.parse(event.call.argumentsText) as unknown }]
        : [],
    ),
    events,
  }
}

export const system = (content: string): ModelMessage => ({ role: 'system', content })
export const user = (content: string): ModelMessage => ({ role: 'user', content })
export const assistant = (content: string): ModelMessage => ({ role: 'assistant', content, toolCalls: [] })

export function toolOf(
  name: string,
  description: string,
  properties: ModelTool['parameters'],
  required: readonly string[],
): ModelTool {
  return { name, description, parameters: { type: 'object', properties, required } }
}

/** Plays the user's lines; returns the agent's answer to each. A call is answered with `result`. */
export async function converse(
  prompt: string,
  tools: readonly ModelTool[],
  lines: readonly string[],
): Promise<Answer[]> {
  const messages: ModelMessage[] = [system(prompt)]
  const answers: Answer[] = []
  for (const line of lines) {
    messages.push(user(line))
    const answer = await generate({ messages, tools })
    answers.push(answer)
    messages.push(assistant(answer.text === '' ? 'Done.' : answer.text))
  }
  return answers
}

export const today = "You are Ada of Rosa's Bakery. Today is Friday, November 20, 2026. We are open Mon–Fri 7–18."
export const bookTable = toolOf(
  'book_table',
  'Book a table for the customer.',
  {
    date: { type: 'string', format: 'date' },
    time: { type: 'string' },
    party_size: { type: 'integer', description: 'Number of guests', minimum: 1 },
    name: { type: 'string', description: "The customer's name" },
    email: { type: 'string', format: 'email' },
  },
  ['date', 'time', 'party_size', 'name'],
)
export const orderStatus = toolOf(
  'get_order_status',
  'Look up the status of an order.',
  { order_id: { type: 'string' } },
  ['order_id'],
)
export const orderCake = toolOf(
  'order_cake',
  'Order a cake',
  {
    size: { type: 'string', enum: ['small', 'medium', 'large'] },
    message: { type: 'string', description: 'Text on the cake' },
    gift_wrap: { type: 'boolean', description: 'Whether the customer wants gift wrap' },
    pickup_date: { type: 'string', description: 'Pickup date' },
  },
  ['size', 'message', 'gift_wrap', 'pickup_date'],
)
export const endCall = toolOf('end_call', 'End the call', {}, [])
export const transferCall = toolOf('transfer_call', 'Transfer to a human agent', {}, [])
export const tools = [bookTable, orderStatus, orderCake, endCall, transferCall]
