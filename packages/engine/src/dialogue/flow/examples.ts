import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { Choice, TransitionExample } from './decide-transition.ts'

/** Examples of conversations that authors give with nodes, as parts of prompts. */

/** Longer ones would push the conversation itself out of small models. */
const MAX_CHARACTERS = 12_000

/** How the agent is to speak at a node; `''` when the node has no examples. */
export function conversationExamples({ finetune_conversation_examples: examples = [] }: AnyFlowNode): string {
  return joined(
    '## Examples\n\nExamples of how to speak at this step; their facts are not those of this conversation.',
    examples.map(({ transcript }) => formatExample(transcript)),
  )
}

/** Which choice a router is to make; `''` without examples that lead to one of the choices. */
export function transitionExamples(
  { finetune_transition_examples: examples = [] }: AnyFlowNode,
  choices: readonly Choice[],
  otherwise: { readonly key: string; readonly destination: string | null },
): string {
  // A question about something else than the edges of the node, such as a tool that needs agreement.
  const isAboutEdges = choices.some(({ route }) => route.type === 'edge')
  const edgeExamples = (isAboutEdges ? examples : []).flatMap((example) => {
    const key = keyOf(example, choices, otherwise)
    return key === null ? [] : [`${formatExample(example.transcript)}\nRight choice: ${key}`]
  })
  const globalExamples = choices.flatMap(({ key, examples: given }) => [
    ...(given?.positive ?? []).map(({ transcript }) => `${formatExample(transcript)}\nRight choice: ${key}`),
    ...(given?.negative ?? []).map(({ transcript }) => `${formatExample(transcript)}\nWrong choice: ${key}`),
  ])
  return joined('Examples of choices at this step:', [...edgeExamples, ...globalExamples])
}

function keyOf(
  { destination_node_id: destination }: TransitionExample,
  choices: readonly Choice[],
  otherwise: { readonly key: string; readonly destination: string | null },
): string | null {
  if (destination === undefined || destination === otherwise.destination) return otherwise.key
  const chosen = choices.find(({ route }) => route.type === 'edge' && route.destination === destination)
  return chosen?.key ?? null
}

function formatExample(transcript: TransitionExample['transcript']): string {
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
