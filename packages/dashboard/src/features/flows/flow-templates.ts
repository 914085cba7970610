import type { RequestParams } from '../../lib/api/request.ts'
import { message } from '../../lib/language.ts'

export interface FlowTemplate {
  readonly name: string
  /** A catalog message, like the description. */
  readonly title: string
  readonly description: string
  readonly body: FlowBody
}

type FlowBody = Omit<RequestParams<'createConversationFlow'>['body'], 'workspaceId'>
type Nodes = FlowBody['nodes']
type Edge = NonNullable<Nodes[number]['edges']>[number]

const createInstruction = (text: string) => ({ type: 'prompt' as const, text })
const createEdge = (id: string, condition: string, destinationId: string): Edge => ({
  id,
  transition_condition: { type: 'prompt', prompt: condition },
  destination_node_id: destinationId,
})
/** Builds a conversation node with its edges. */
const createConversationNode = (
  id: string,
  name: string,
  { instruction, edges }: { instruction: string; edges: Edge[] },
): Nodes[number] => ({
  id,
  name,
  type: 'conversation',
  instruction: createInstruction(instruction),
  edges,
})
const createEndNode = (text: string): Nodes[number] => ({
  id: 'goodbye',
  name: 'Goodbye',
  type: 'end',
  instruction: createInstruction(text),
  speak_during_execution: true,
})

const emptyTemplate: FlowTemplate = {
  name: 'empty',
  title: message('Empty flow'),
  description: message('One conversation node and one end node.'),
  body: {
    start_node_id: 'welcome',
    nodes: [
      createConversationNode('welcome', 'Welcome', {
        instruction: 'Greet the user and ask how you can help. Answer questions in one or two sentences.',
        edges: [createEdge('done', 'The user needs nothing more or says goodbye', 'goodbye')],
      }),
      createEndNode('Say goodbye in one friendly sentence.'),
    ],
  },
}

const appointmentTemplate: FlowTemplate = {
  name: 'appointment',
  title: message('Appointment booking'),
  description: message('Asks for reason and time, stores the answers as variables and confirms them.'),
  body: {
    global_prompt:
      'You answer the telephone of {{company}}. You are friendly and brief: one question at a time, at most two sentences. Speak the language of the caller.',
    default_dynamic_variables: { company: 'our practice' },
    start_node_id: 'reason',
    nodes: [
      createConversationNode('reason', 'What it is about', {
        instruction:
          'Greet the caller for {{company}}. Find out whether they want an appointment, and what it is about.',
        edges: [
          createEdge('wants', 'The caller wants an appointment and has said what it is about', 'when'),
          createEdge('other', 'The caller wants something else than an appointment', 'message'),
        ],
      }),
      createConversationNode('when', 'Day, time and name', {
        instruction:
          'Ask for the day and the time that suit best, then for the full name. Ask again for what is missing.',
        edges: [createEdge('complete', 'Day, time and full name are known', 'keep')],
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
      createConversationNode('confirm', 'Repeat it', {
        instruction:
          'Repeat the wish: {{appointment_reason}} for {{caller_name}}, {{appointment_time}}. Ask whether that is right. Say that a colleague confirms it.',
        edges: [
          createEdge('right', 'The caller says that everything is right', 'goodbye'),
          createEdge('wrong', 'The caller corrects something', 'when'),
        ],
      }),
      createConversationNode('message', 'Take a message', {
        instruction: 'Take a short message with the name and the number to call back. Repeat it once.',
        edges: [createEdge('taken', 'The message is complete', 'goodbye')],
      }),
      createEndNode('Thank the caller and say goodbye in one sentence.'),
    ],
  },
}

const cakeTemplate: FlowTemplate = {
  name: 'cake',
  title: message('Cake orders'),
  description: message('Takes an order, routes large orders by a condition and confirms the order.'),
  body: {
    global_prompt:
      'You take orders for the bakery {{bakery}}. Cakes: chocolate, apple, cheesecake. A cake serves twelve. Orders need two days. Speak the language of the caller, warmly and briefly.',
    default_dynamic_variables: { bakery: 'Sunny Side' },
    start_node_id: 'order',
    nodes: [
      createConversationNode('order', 'The order', {
        instruction:
          'Greet the caller. Find out which cakes they want, how many, and for which day. Answer questions about the cakes.',
        edges: [createEdge('ordered', 'Cakes, their number and the day are known', 'keep')],
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
      createConversationNode('large_order', 'Large order', {
        instruction: 'Say that the baker calls back about an order of this size. Ask for the number and repeat it.',
        edges: [createEdge('number', 'The number to call back is known', 'goodbye')],
      }),
      createConversationNode('confirm', 'Repeat the order', {
        instruction: 'Repeat the order: {{cake_order}}. Ask whether it is right, and under which name it is picked up.',
        edges: [
          createEdge('right', 'The order is right and the name is known', 'goodbye'),
          createEdge('wrong', 'The caller corrects the order', 'order'),
        ],
      }),
      createEndNode('Thank the caller and say goodbye in one sentence.'),
    ],
  },
}

export const FLOW_TEMPLATES: readonly [FlowTemplate, ...FlowTemplate[]] = [
  emptyTemplate,
  appointmentTemplate,
  cakeTemplate,
]
