import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { Choice, TransitionExample } from './decide-transition.ts'

/** Limits the examples so that the conversation still fits small context windows. */
const MAX_EXAMPLE_CHARACTERS = 12_000

/** Formats a node's examples of how to speak, or returns `''` if there are none. */
export function formatConversationExamples({ finetune_conversation_examples: examples = [] }: AnyFlowNode): string {
  return joinExamples(
    '## Examples\n\nExamples of how to speak at this step; their facts are not those of this conversation.',
    examples.map(({ transcript }) => formatExample(transcript)),
  )
}

/** Formats the examples for a router's choices, or returns `''` if no example matches a choice. */
export function formatTransitionExamples(
  { finetune_transition_examples: examples = [] }: AnyFlowNode,
  choices: readonly Choice[],
  fallbackChoice: { readonly key: string; readonly destination: string | null },
): string {
  // The question may not be about edges, for example if it asks for a tool's approval.
  const isAboutEdges = choices.some(({ route }) => route.type === 'edge')
  const edgeExamples = (isAboutEdges ? examples : []).flatMap((example) => {
    const key = findExampleKey(example, choices, fallbackChoice)
    return key === null ? [] : [`${formatExample(example.transcript)}\nRight choice: ${key}`]
  })
  const globalExamples = choices.flatMap(({ key, examples: choiceExamples }) => [
    ...(choiceExamples?.positive ?? []).map(({ transcript }) => `${formatExample(transcript)}\nRight choice: ${key}`),
    ...(choiceExamples?.negative ?? []).map(({ transcript }) => `${formatExample(transcript)}\nWrong choice: ${key}`),
  ])
  return joinExamples('Examples of choices at this step:', [...edgeExamples, ...globalExamples])
}

function findExampleKey(
  { destination_node_id: destination }: TransitionExample,
  choices: readonly Choice[],
  fallbackChoice: { readonly key: string; readonly destination: string | null },
): string | null {
  if (destination === undefined || destination === fallbackChoice.destination) return fallbackChoice.key
  const matchingChoice = choices.find(({ route }) => route.type === 'edge' && route.destination === destination)
  return matchingChoice?.key ?? null
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

/** Joins as many complete examples as fit under a heading. */
function joinExamples(heading: string, examples: readonly string[]): string {
  let text = ''
  for (const example of examples) {
    if (text.length + example.length > MAX_EXAMPLE_CHARACTERS) break
    text += `\n\n${example}`
  }
  return text === '' ? '' : `${heading}${text}`
}
