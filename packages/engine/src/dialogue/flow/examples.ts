import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { Choice, TransitionExample } from './decide-transition.ts'

/** Renders the example conversations of nodes as parts of prompts. */

/** More would push the conversation out of small context windows. */
const MAX_CHARACTERS = 12_000

/** Examples of how to speak at a node; `''` without examples. */
export function conversationExamples({ finetune_conversation_examples: examples = [] }: AnyFlowNode): string {
  return joinExamples(
    '## Examples\n\nExamples of how to speak at this step; their facts are not those of this conversation.',
    examples.map(({ transcript }) => formatExample(transcript)),
  )
}

/** Examples of a router's choices; `''` when no example matches a choice. */
export function transitionExamples(
  { finetune_transition_examples: examples = [] }: AnyFlowNode,
  choices: readonly Choice[],
  otherwise: { readonly key: string; readonly destination: string | null },
): string {
  // The question may be about something other than edges, such as approval of a tool.
  const isAboutEdges = choices.some(({ route }) => route.type === 'edge')
  const edgeExamples = (isAboutEdges ? examples : []).flatMap((example) => {
    const key = keyOf(example, choices, otherwise)
    return key === null ? [] : [`${formatExample(example.transcript)}\nRight choice: ${key}`]
  })
  const globalExamples = choices.flatMap(({ key, examples: given }) => [
    ...(given?.positive ?? []).map(({ transcript }) => `${formatExample(transcript)}\nRight choice: ${key}`),
    ...(given?.negative ?? []).map(({ transcript }) => `${formatExample(transcript)}\nWrong choice: ${key}`),
  ])
  return joinExamples('Examples of choices at this step:', [...edgeExamples, ...globalExamples])
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

/** Joins as many whole examples as fit, under a heading. */
function joinExamples(heading: string, examples: readonly string[]): string {
  let text = ''
  for (const example of examples) {
    if (text.length + example.length > MAX_CHARACTERS) break
    text += `\n\n${example}`
  }
  return text === '' ? '' : `${heading}${text}`
}
