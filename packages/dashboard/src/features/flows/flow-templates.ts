import type { RequestParts } from '../../lib/api/request.ts'
import { message } from '../../lib/language.ts'

export interface FlowTemplate {
  readonly name: string
  /** In English; shown through the catalog. */
  readonly title: string
  readonly description: string
  readonly body: FlowBody
}

type FlowBody = Omit<RequestParts<'createConversationFlow'>['body'], 'workspaceId'>
type Nodes = FlowBody['nodes']
type Edge = NonNullable<Nodes[number]['edges']>[number]

const says = (text: string) => ({ type: 'prompt' as const, text })
const goes = (id: string, condition: string, to: string): Edge => ({
  id,
  transition_condition: { type: 'prompt', prompt: condition },
  destination_node_id: to,
})
/** A conversation node with its edges. */
const talks = (id: string, name: string, { say, edges }: { say: string; edges: Edge[] }): Nodes[number] => ({
  id,
  name,
  type: 'conversation',
  instruction: says(say),
  edges,
})
const goodbye = (text: string): Nodes[number] => ({
  id: 'goodbye',
  name: 'Goodbye',
  type: 'end',
  instruction: says(text),
  speak_during_execution: true,
})

const empty: FlowTemplate = {
  name: 'empty',
  title: message('Empty flow'),
  description: message('One conversation node and one end node.'),
  body: {
    start_node_id: 'welcome',
    nodes: [
      talks('welcome', 'Welcome', {
        say: 'Greet the user and ask how you can help. Answer questions in one or two sentences.',
        edges: [goes('done', 'The user needs nothing more or says goodbye', 'goodbye')],
      }),
      goodbye('Say goodbye in one friendly sentence.'),
    ],
  },
}

const appointment: FlowTemplate = {
  name: 'appointment',
  title: message('Appointment booking'),
  description: message('Asks for reason and time, stores the answers as variables and confirms them.'),
  body: {
    global_prompt:
      'You answer the telephone of {{company}}. You are friendly and brief: one question at a time, at most two sentences. Speak the language of the caller.',
    default_dynamic_variables: { company: 'our practice' },
    start_node_id: 'reason',
    nodes: [
      talks('reason', 'What it is about', {
        say: 'Greet the caller for {{company}}. Find out whether they want an appointment, and what it is about.',
        edges: [
          goes('wants', 'The caller wants an appointment and has said what it is about', 'when'),
          goes('other', 'The caller wants something else than an appointment', 'message'),
        ],
      }),
      talks('when', 'Day, time and name', {
        say: 'Ask for the day and the time that suit best, then for the full name. Ask again for what is missing.',
        edges: [goes('complete', 'Day, time and full name are known', 'keep')],
      }),
      {
        id: 'keep',
        name: 'Keep the answers',
        type: 'extract_dynamic_variables',
        variables: [
          { type: 'string', name: 'caller_name', description: 'Full name of the caller' },
          { type: 'string', name: 'appointment_time', description: 'Day and time that the caller wishes' },
          { type: 'string', name: 'appointment_reason', description: 'What the appointment is about' },
        ],
        else_edge: { id: 'kept', destination_node_id: 'confirm' },
      },
      talks('confirm', 'Repeat it', {
        say: 'Repeat the wish: {{appointment_reason}} for {{caller_name}}, {{appointment_time}}. Ask whether that is right. Say that a colleague confirms it.',
        edges: [
          goes('right', 'The caller says that everything is right', 'goodbye'),
          goes('wrong', 'The caller corrects something', 'when'),
        ],
      }),
      talks('message', 'Take a message', {
        say: 'Take a short message with the name and the number to call back. Repeat it once.',
        edges: [goes('taken', 'The message is complete', 'goodbye')],
      }),
      goodbye('Thank the caller and say goodbye in one sentence.'),
    ],
  },
}

const cake: FlowTemplate = {
  name: 'cake',
  title: message('Cake orders'),
  description: message('Takes an order, routes large orders by a condition and confirms the order.'),
  body: {
    global_prompt:
      'You take orders for the bakery {{bakery}}. Cakes: chocolate, apple, cheesecake. A cake serves twelve. Orders need two days. Speak the language of the caller, warmly and briefly.',
    default_dynamic_variables: { bakery: 'Sunny Side' },
    start_node_id: 'order',
    nodes: [
      talks('order', 'The order', {
        say: 'Greet the caller. Find out which cakes they want, how many, and for which day. Answer questions about the cakes.',
        edges: [goes('ordered', 'Cakes, their number and the day are known', 'keep')],
      }),
      {
        id: 'keep',
        name: 'Keep the order',
        type: 'extract_dynamic_variables',
        variables: [
          { type: 'number', name: 'cake_count', description: 'How many cakes are ordered altogether' },
          { type: 'string', name: 'cake_order', description: 'Which cakes, and for which day' },
        ],
        else_edge: { id: 'kept', destination_node_id: 'size' },
      },
      {
        id: 'size',
        name: 'Large or not',
        type: 'branch',
        edges: [
          {
            id: 'large',
            transition_condition: {
              type: 'equation',
              equations: [{ left: 'cake_count', operator: '>', right: 5 }],
            },
            destination_node_id: 'large_order',
          },
        ],
        else_edge: { id: 'usual', destination_node_id: 'confirm' },
      },
      talks('large_order', 'Large order', {
        say: 'Say that the baker calls back about an order of this size. Ask for the number and repeat it.',
        edges: [goes('number', 'The number to call back is known', 'goodbye')],
      }),
      talks('confirm', 'Repeat the order', {
        say: 'Repeat the order: {{cake_order}}. Ask whether it is right, and under which name it is picked up.',
        edges: [
          goes('right', 'The order is right and the name is known', 'goodbye'),
          goes('wrong', 'The caller corrects the order', 'order'),
        ],
      }),
      goodbye('Thank the caller and say goodbye in one sentence.'),
    ],
  },
}

export const FLOW_TEMPLATES: readonly [FlowTemplate, ...FlowTemplate[]] = [empty, appointment, cake]
