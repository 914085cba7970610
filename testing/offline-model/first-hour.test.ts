import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { CreateLlmBody } from '@parley/contract/llm'
import { createFlow } from '@parley/engine/testing/flow-scenario'
import { talk } from '@parley/offline-model/offline-test-kit'
import { expect, test } from 'vitest'
import german from '../../packages/dashboard/src/parts/agent/agent.de.json' with { type: 'json' }
import { DEMO_LLM } from '../../packages/server/src/features/demo/seed-demo.ts'
import questions from './first-hour-questions.json' with { type: 'json' }

/** Sixty questions of first visitors, written from the templates by somebody who had not seen the model. */

const MIN_SENSIBLE = 48
/** `REPORT_FIRST_HOUR=1` prints every conversation. */
const wantsReport = process.env['REPORT_FIRST_HOUR'] !== undefined

interface Template {
  readonly key: string
  readonly prompt: string
  readonly beginMessage: string
}
interface FlowTemplate {
  readonly name: string
  readonly body: object
}

// A variable path keeps the dashboard sources, which require the DOM, out of this type check.
const DASHBOARD = '../../packages/dashboard/src'
const { TEMPLATES } = (await import(`${DASHBOARD}/parts/agent/new-agent/templates.ts`)) as {
  readonly TEMPLATES: readonly Template[]
}
const { FLOW_TEMPLATES } = (await import(`${DASHBOARD}/features/flows/flow-templates.ts`)) as {
  readonly FLOW_TEMPLATES: readonly FlowTemplate[]
}

type Agent = Parameters<typeof talk>[0]

/** Creates an agent as the dashboard does, with the text of its prompt. */
function createAgent(template: string, language: string): { readonly agent: Agent; readonly prompt: string } {
  const flow = FLOW_TEMPLATES.find(({ name }) => template === `flow:${name}`)
  if (flow !== undefined) return createFlowAgent(flow)
  const llm = template === 'robin' ? DEMO_LLM : createLlm(template, language)
  const engine = { generalPrompt: llm.general_prompt, tools: llm.general_tools }
  return { agent: { engine, greeting: llm.begin_message ?? '' }, prompt: llm.general_prompt }
}

function createLlm(template: string, language: string): CreateLlmBody {
  const { prompt = '', beginMessage = '' } = TEMPLATES.find(({ key }) => key === template) ?? {}
  const translations: Readonly<Record<string, string>> = language === 'de' ? german : {}
  return CreateLlmBody.parse({
    general_prompt: translations[prompt] ?? prompt,
    begin_message: translations[beginMessage] ?? beginMessage,
  })
}

function createFlowAgent({ body }: FlowTemplate): { readonly agent: Agent; readonly prompt: string } {
  const flow = CreateConversationFlowBody.parse(body)
  const graph = createFlow(flow.nodes, {
    globalPrompt: flow.global_prompt ?? '',
    startNodeId: flow.start_node_id ?? '',
    startSpeaker: flow.start_speaker,
    defaultVariables: flow.default_dynamic_variables,
  })
  return { agent: { graph }, prompt: JSON.stringify(body) }
}

const createMatcher = (text: string) => (pattern: string) => new RegExp(pattern, 'i').test(text)

/** Returns the numbers in a text that neither the prompt nor the caller named. */
function findInventedNumbers(text: string, knownText: string): string[] {
  return (text.match(/\d+/g) ?? []).filter((number) => !knownText.includes(number))
}

async function play({ id, template, language, turns, kind, mustMatch, mustNotMatch }: (typeof questions)[number]) {
  const { agent, prompt } = createAgent(template, language)
  const replies = (await talk(agent, turns)).map(({ text }) => text)
  if (wantsReport)
    process.stdout.write(`${id}\n${turns.map((turn, index) => `  ${turn}\n  > ${replies[index]}\n`).join('')}`)
  // The first pattern is about the answer to this question, the others are about instructions and languages.
  const [wrong = '', ...recited] = mustNotMatch
  const answer = replies.at(-1) ?? ''
  const isWrong = createMatcher(answer)(wrong)
  return {
    conversation: [id, ...replies],
    isSensible: mustMatch.every(createMatcher(answer)) && !isWrong,
    isInvented:
      (kind === 'unknown' && isWrong) ||
      findInventedNumbers(replies.join(' '), `${prompt} ${turns.join(' ')}`).length > 0,
    isRecited: recited.some(createMatcher(replies.join('\n'))),
  }
}

test('a first visitor gets sensible answers, no invented facts and no instructions', async () => {
  const results = await Promise.all(questions.map(play))
  const listConversations = (has: (one: (typeof results)[number]) => boolean) =>
    results.filter(has).map(({ conversation }) => conversation)
  expect(listConversations(({ isInvented }) => isInvented)).toEqual([])
  expect(listConversations(({ isRecited }) => isRecited)).toEqual([])
  const notSensible = listConversations(({ isSensible }) => !isSensible)
  expect(results.length - notSensible.length, JSON.stringify(notSensible)).toBeGreaterThanOrEqual(MIN_SENSIBLE)
})
