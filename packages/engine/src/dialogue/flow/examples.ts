import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { Choice, TransitionExample } from './decide-transition.ts'

/** Examples of conversations that authors give with nodes, as parts of prompts. */

/** Longer ones would push the conversation itself out of small models. */
const MAX_CHARACTERS = 12_000

/** How the agent is to speak at a node; `''` when the node has no examples. */
export function conversationExamples({ finetune_conversation_examples: examples = [] }: AnyFlowNode): string {
  return joined(
    '## Examples\n\nExamples of how to speak at this step; their facts are not those of this conversation.',
    examples.map(({ transcript }) => lines(transcript)),
  )
}

/** Which choice a router is to make; `''` without examples that lead to one of the choices. */
export function transitionExamples(
  { finetune_transition_examples: examples = [] }: AnyFlowNode,
  choices: readonly Choice[],
  otherwise: { readonly key: string; readonly destination: string | null },
): string {
  // A question about something else than the edges of the node, such as a tool that needs agreement.
  const isAboutEdges = choices.some(({ way }) => way.type === 'edge')
  const ofEdges = (isAboutEdges ? examples : []).flatMap((example) => {
    const key = keyOf(example, choices, otherwise)
    return key === null ? [] : [`${lines(example.transcript)}\nRight choice: ${key}`]
  })
  const ofGlobals = choices.flatMap(({ key, examples: given }) => [
    ...(given?.positive ?? []).map(({ transcript }) => `${lines(transcript)}\nRight choice: ${key}`),
    ...(given?.negative ?? []).map(({ transcript }) => `${lines(transcript)}\nWrong choice: ${key}`),
  ])
  return joined('Examples of choices at this step:', [...ofEdges, ...ofGlobals])
}

function keyOf(
  { destination_node_id: destination }: TransitionExample,
  choices: readonly Choice[],
  otherwise: { readonly key: string; readonly destination: string | null },
): string | null {
  if (destination === undefined || destination === otherwise.destination) return otherwise.key
  const chosen = choices.find(({ way }) => way.type === 'edge' && way.destination === destination)
  return chosen?.key ?? null
}

function lines(transcript: TransitionExample['transcript']): string {
  return transcript
    .map((utterance) => {
      switch (utterance.role) {
        case 'tool_call_invocation':
          return `agent calls ${utterance.name}: ${utterance.arguments}`
        case 'tool_call_result':
          return `result of the tool: ${utterance.content}`
        default:
          return `${utterance.role}: ${utterance.content}`
      }
    })
    .join('\n')
}

/** As many whole examples as there is room for, under a heading. */
function joined(heading: string, examples: readonly string[]): string {
  let text = ''
  for (const example of examples) {
    if (text.length + example.length > MAX_CHARACTERS) break
    text += `\n\n${example}`
  }
  return text === '' ? '' : `${heading}${text}`
}
