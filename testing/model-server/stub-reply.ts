import type { DefaultReply } from './model-server.ts'
import { listSteps, renderAnswerParts } from './rendering.ts'
import type { PreparedReply, ScriptedAnswer, Wire } from './reply.ts'

const VOCABULARY =
  'the agent answers every caller with care and a plain word so that nobody has to wait for long'.split(' ')

/** Returns the same prerendered answer for every request, since benchmarks measure the client. */
export function createStubReply({ words, paceMs }: { readonly words: number; readonly paceMs: number }): DefaultReply {
  const text = Array.from({ length: words }, (_, index) => VOCABULARY[index % VOCABULARY.length]).join(' ')
  const answer: ScriptedAnswer = { text, delayPerWordMs: paceMs }
  const prepared = new Map<Wire, PreparedReply>()
  return ({ wire, body }) => {
    const reply = prepared.get(wire) ?? { steps: prepareSteps(wire, answer, body) }
    prepared.set(wire, reply)
    return reply
  }
}

function prepareSteps(
  wire: Wire,
  answer: ScriptedAnswer,
  body: Readonly<Record<string, unknown>>,
): PreparedReply['steps'] {
  if (answer.delayPerWordMs !== 0) return listSteps(wire, answer, body)
  const [head] = listSteps(wire, answer, body)
  const { opening, words, closing } = renderAnswerParts(wire, answer, body)
  const firstBytes = Buffer.from([...opening, words[0] ?? ''].join(''))
  const remainingBytes = Buffer.from([...words.slice(1), ...closing].join(''))
  return [
    ...(head === undefined ? [] : [head]),
    { kind: 'write', bytes: firstBytes },
    { kind: 'write', bytes: remainingBytes },
    { kind: 'end' },
  ]
}
