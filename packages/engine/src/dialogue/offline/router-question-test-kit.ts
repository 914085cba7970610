import type { JsonObject, ModelMessage, ModelRequest, ModelTool } from '../../ports.ts'
import { assistant, generate, system, user } from './offline-test-kit.ts'
import type { RouterScene } from './router-cases-test-kit.ts'

/** Questions of routers as the flow engine asks them. */

const lead =
  'You decide where a conversation goes next. Read what the user said last in the light of what was asked before, and choose the ' +
  'way whose condition holds. Conditions that begin with e win over those that begin with g.'

/** The tool of a router; `variables` are further properties. */
export function routerTool(
  ways: Readonly<Record<string, string>>,
  fallback: 'stay' | 'else',
  variables: JsonObject = {},
): ModelTool {
  const lines = Object.entries({ ...ways, [fallback]: 'None of the others applies.' })
  return {
    name: 'choose_transition',
    description: 'Decides where the conversation goes next. Call it exactly once.',
    parameters: {
      type: 'object',
      properties: {
        choice: {
          type: 'string',
          enum: lines.map(([key]) => key),
          description: lines.map(([key, condition]) => `${key}: ${condition}`).join('\n'),
        },
        reason: { type: 'string', description: 'Why, at most ten words.' },
        ...variables,
      },
      required: ['choice'],
    },
  }
}

/** The request for a scene in which this is said (or answered by the tool) last. */
export function questionOf(
  scene: RouterScene,
  said: string,
  variables?: JsonObject,
): Pick<ModelRequest, 'messages' | 'tools' | 'toolChoice'> {
  const messages: ModelMessage[] = [
    system(`${lead}\n\nYou are the assistant of a business. Be friendly.\n\n${scene.instruction}`),
  ]
  for (const [position, line] of (scene.before ?? []).entries())
    messages.push(position % 2 === 0 ? user(line) : assistant(line))
  if (scene.tool === undefined) {
    if (scene.asked !== '') messages.push(assistant(scene.asked))
    messages.push(user(said))
  } else {
    const call = { id: 'call_1', name: scene.tool, argumentsText: '{}' }
    messages.push({ role: 'assistant', content: scene.asked, toolCalls: [call] })
    messages.push({ role: 'tool', toolCallId: call.id, name: call.name, content: said })
  }
  return { messages, tools: [routerTool(scene.ways, scene.fallback, variables)], toolChoice: 'required' }
}

/** One question with what was chosen. */
export interface AnsweredQuestion {
  readonly scene: RouterScene
  readonly said: string
  readonly expected: string
  readonly chosen: unknown
  readonly reason: unknown
}

/** Asks all questions of some scenes. */
export async function answerAll(scenes: readonly RouterScene[]): Promise<AnsweredQuestion[]> {
  const answered: AnsweredQuestion[] = []
  for (const scene of scenes) {
    for (const [said, expected] of scene.answers) {
      const { calls } = await generate(questionOf(scene, said))
      const args = calls[0]?.args as { choice?: unknown; reason?: unknown } | undefined
      answered.push({ scene, said, expected, chosen: args?.choice, reason: args?.reason })
    }
  }
  return answered
}
