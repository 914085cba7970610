import type {
  LanguageModel,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  ModelTool,
} from '../../packages/engine/src/ports.ts'
import { parseJson, toObject } from '../../packages/server/src/integrations/models/unknown-json.ts'
import { type Check, CheckError, verify, WRONG_KEY } from './check.ts'
import { COUNT_PROMPT, WEATHER_PROMPT } from './spoken-texts.ts'

/** The creation of a model adapter. */
export interface ModelAccess {
  readonly apiKey: string
  readonly model: string
  create(model: string, apiKey: string): LanguageModel
}

/** Estimate for one request of a few hundred tokens with the default models. */
const REQUEST_USD = 0.005
const CANCEL_LIMIT_MS = 2_000

const WEATHER_TOOL: ModelTool = {
  name: 'get_weather',
  description: 'Returns the current weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** Creates the checks that apply to every language model. They use the adapters of Parley. */
export function createModelChecks(access: ModelAccess): readonly Check[] {
  const createModel = (model = access.model, apiKey = access.apiKey): LanguageModel => access.create(model, apiKey)
  return [
    {
      name: 'an answer arrives as several text deltas and ends with "stop"',
      costUsd: REQUEST_USD,
      run: async (signal) => {
        const events = await readAnswer(createModel(), buildRequest(COUNT_PROMPT, signal))
        const deltaCount = events.filter(({ type }) => type === 'text-delta').length
        verify(deltaCount >= 2, `The answer had ${deltaCount} text deltas.`)
        const { reason } = getFinish(events)
        verify(reason === 'stop', `The answer ended with "${reason}".`)
      },
    },
    {
      name: 'the usage counts input and output tokens',
      costUsd: REQUEST_USD,
      run: async (signal) => {
        const { usage } = getFinish(await readAnswer(createModel(), buildRequest(COUNT_PROMPT, signal)))
        verify(usage !== null, 'The stream contained no usage.')
        verify(usage.inputTokens > 0 && usage.outputTokens > 0, 'A token count is zero.')
        verify(usage.cachedInputTokens <= usage.inputTokens, 'More tokens were cached than sent.')
      },
    },
    {
      name: 'a required tool is called with JSON arguments, and its result is accepted',
      costUsd: 2 * REQUEST_USD,
      run: async (signal) => verifyToolCall(createModel(), signal),
    },
    {
      name: 'a token limit ends the answer with "length"',
      costUsd: REQUEST_USD,
      run: async (signal) => {
        const request = { ...buildRequest(COUNT_PROMPT, signal), maxTokens: 16 }
        const { reason } = getFinish(await readAnswer(createModel(), request))
        verify(reason === 'length', `The answer ended with "${reason}".`)
      },
    },
    {
      name: 'a cancelled answer ends without another event, and the next request is answered',
      costUsd: 2 * REQUEST_USD,
      run: async (signal) => verifyCancellation(createModel(), signal),
    },
    {
      name: 'a wrong key is reported as unauthorized',
      costUsd: 0,
      run: async (signal) => verifyFailure(createModel(access.model, WRONG_KEY), signal, 'unauthorized'),
    },
    {
      name: 'an unknown model is reported as rejected',
      costUsd: 0,
      run: async (signal) => verifyFailure(createModel('parley-no-such-model'), signal, 'rejected'),
    },
  ]
}

function buildRequest(content: string, signal: AbortSignal): ModelRequest {
  return { messages: [{ role: 'user', content }], tools: [], toolChoice: 'auto', maxTokens: 300, signal }
}

/** Reads all events. Throws if the model failed. */
async function readAnswer(model: LanguageModel, request: ModelRequest): Promise<readonly ModelEvent[]> {
  const events = await Array.fromAsync(model.stream(request))
  const lastEvent = events.at(-1)
  if (lastEvent?.type === 'error') throw new CheckError(describeFailure(lastEvent.failure))
  return events
}

function describeFailure({ kind, message }: Pick<ModelFailure, 'kind' | 'message'>): string {
  return `The request failed (${kind}): ${message}`
}

function getFinish(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'finish' }> {
  const lastEvent = events.at(-1)
  verify(lastEvent?.type === 'finish', 'The stream ended without a finish event.')
  return lastEvent
}

async function verifyToolCall(model: LanguageModel, signal: AbortSignal): Promise<void> {
  const request: ModelRequest = {
    ...buildRequest(WEATHER_PROMPT, signal),
    tools: [WEATHER_TOOL],
    toolChoice: 'required',
  }
  const events = await readAnswer(model, request)
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  const [call] = calls
  verify(call !== undefined, 'The answer contained no tool call.')
  verify(call.name === WEATHER_TOOL.name, 'The answer called another tool.')
  verify(call.id !== '', 'The tool call has no ID.')
  verify(toObject(parseJson(call.argumentsText)) !== null, 'The arguments are not a JSON object.')
  const { reason } = getFinish(events)
  verify(reason === 'tool-calls', `The answer ended with "${reason}".`)
  const results = calls.map(
    ({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: '{"celsius": 21}' }) as const,
  )
  const messages = [...request.messages, { role: 'assistant', content: '', toolCalls: calls } as const, ...results]
  const answer = await readAnswer(model, { ...request, messages, toolChoice: 'auto' })
  verify(
    answer.some(({ type }) => type === 'text-delta'),
    'The model did not answer after the tool result.',
  )
}

async function verifyCancellation(model: LanguageModel, signal: AbortSignal): Promise<void> {
  const controller = new AbortController()
  const events: ModelEvent[] = []
  const request = buildRequest(COUNT_PROMPT, AbortSignal.any([controller.signal, signal]))
  let cancelledAtMs = 0
  for await (const event of model.stream(request)) {
    verify(event.type === 'text-delta', `The first event was "${event.type}".`)
    events.push(event)
    cancelledAtMs = performance.now()
    controller.abort()
  }
  verify(events.length === 1, `${events.length} events arrived.`)
  verify(performance.now() - cancelledAtMs < CANCEL_LIMIT_MS, 'The stream ended too late.')
  await readAnswer(model, buildRequest(COUNT_PROMPT, signal))
}

async function verifyFailure(model: LanguageModel, signal: AbortSignal, kind: ModelFailure['kind']): Promise<void> {
  const events = await Array.fromAsync(model.stream(buildRequest(COUNT_PROMPT, signal)))
  const lastEvent = events.at(-1)
  verify(lastEvent?.type === 'error', 'The request did not fail.')
  verify(lastEvent.failure.kind === kind, `The failure is "${lastEvent.failure.kind}".`)
}
