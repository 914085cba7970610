import { renderAnthropic, renderAnthropicError, renderAnthropicErrorBody } from './anthropic-rendering.ts'
import { renderOpenAi, renderOpenAiError, renderOpenAiErrorBody } from './openai-rendering.ts'
import type { ModelReply, ScriptedAnswer, ScriptedFault, Step, Wire } from './reply.ts'
import type { RenderedAnswer } from './text-chunks.ts'

/** Renders an answer as bytes in a wire format, for tests that require no socket. */
export function renderAnswer(wire: Wire, answer: ScriptedAnswer, body: Readonly<Record<string, unknown>>): Buffer {
  const { opening, words, closing } = renderAnswerParts(wire, answer, body)
  return Buffer.from([...opening, ...words, ...closing].join(''))
}

/** Returns the steps of a reply in the requested wire format. */
export function listSteps(wire: Wire, reply: ModelReply, body: Readonly<Record<string, unknown>>): Iterable<Step> {
  if ('steps' in reply) return reply.steps
  return 'fault' in reply
    ? listFaultSteps(wire, reply, body)
    : listAnswerSteps(renderAnswerParts(wire, reply, body), reply)
}

const STREAM_HEAD: Step = {
  kind: 'head',
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
}
const COMMENT = ': keep-alive\n\n'

/** Renders an answer in parts. */
export function renderAnswerParts(
  wire: Wire,
  answer: ScriptedAnswer,
  body: Readonly<Record<string, unknown>>,
): RenderedAnswer {
  return wire === 'openai' ? renderOpenAi(answer, body) : renderAnthropic(answer, body)
}

function listAnswerSteps(
  answer: RenderedAnswer,
  { delayPerWordMs = 0, keepAliveComments = false }: ScriptedAnswer,
): Step[] {
  const steps: Step[] = [STREAM_HEAD]
  for (const text of answer.opening) steps.push(createWriteStep(text))
  for (const text of answer.words) {
    if (delayPerWordMs > 0) steps.push({ kind: 'wait', delayMs: delayPerWordMs })
    if (keepAliveComments) steps.push(createWriteStep(COMMENT))
    steps.push(createWriteStep(text))
  }
  for (const text of answer.closing) steps.push(createWriteStep(keepAliveComments ? COMMENT + text : text))
  steps.push({ kind: 'end' })
  return steps
}

/** The answer that a mid-stream fault interrupts. */
const INTERRUPTED_ANSWER: ScriptedAnswer = {
  text: 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
}

function listFaultSteps(wire: Wire, fault: ScriptedFault, body: Readonly<Record<string, unknown>>): Step[] {
  const answer = renderAnswerParts(wire, INTERRUPTED_ANSWER, body)
  const listPartialSteps = (words: number): Step[] => [
    STREAM_HEAD,
    ...[...answer.opening, ...answer.words.slice(0, words)].map(createWriteStep),
  ]
  switch (fault.fault) {
    case 'status':
      return listStatusSteps(wire, fault)
    case 'hang':
      if (fault.after === 'accept') return [{ kind: 'hang' }]
      return fault.after === 'words'
        ? [...listPartialSteps(fault.words), { kind: 'hang' }]
        : [STREAM_HEAD, { kind: 'hang' }]
    case 'cut':
      return [...listPartialSteps(fault.afterWords), { kind: 'cut' }]
    case 'garbage-line':
      return [
        ...listPartialSteps(fault.afterWords),
        ...['data: {"choices":[{"del\n\n', ...answer.words.slice(fault.afterWords), ...answer.closing].map(
          createWriteStep,
        ),
        { kind: 'end' },
      ]
    case 'huge-line':
      return [
        STREAM_HEAD,
        createWriteStep('data: {"filler":"'),
        { kind: 'flood', sizeBytes: fault.sizeBytes },
        { kind: 'end' },
      ]
    case 'html':
      return [
        { kind: 'head', status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } },
        createWriteStep('<!doctype html><title>Welcome</title><p>It works.</p>'),
        { kind: 'end' },
      ]
    case 'error-event': {
      const text = wire === 'openai' ? renderOpenAiError(fault.kind) : renderAnthropicError(fault.kind)
      return [...listPartialSteps(fault.afterWords), createWriteStep(text), { kind: 'end' }]
    }
  }
}

function listStatusSteps(wire: Wire, fault: Extract<ScriptedFault, { fault: 'status' }>): Step[] {
  const { status, retryAfter, retryAfterMs } = fault
  const headers: Record<string, string> = { 'content-type': 'application/json', ...fault.headers }
  if (retryAfter !== undefined)
    headers['retry-after'] = typeof retryAfter === 'string' ? retryAfter : retryAfter.toUTCString()
  if (retryAfterMs !== undefined) headers['retry-after-ms'] = String(retryAfterMs)
  const body = fault.body ?? renderErrorBody(wire, status, `Scripted status ${status}.`)
  return [{ kind: 'head', status, headers }, createWriteStep(body), { kind: 'end' }]
}

/** Returns the error JSON of a wire format. */
export function renderErrorBody(wire: Wire, status: number, message: string): string {
  return wire === 'openai' ? renderOpenAiErrorBody(status, message) : renderAnthropicErrorBody(status, message)
}

function createWriteStep(text: string): Step {
  return { kind: 'write', bytes: Buffer.from(text) }
}
