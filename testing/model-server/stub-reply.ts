import type { DefaultReply } from './model-server.ts'
import { renderAnswerParts, stepsOf } from './rendering.ts'
import type { PreparedReply, ScriptedAnswer, Wire } from './reply.ts'

const VOCABULARY =
  'the agent answers every caller with care and a plain word so that nobody has to wait for long'.split(' ')

/** The same prerendered answer to every request, since benchmarks measure the client, not this server. */
export function stubReply({ words, paceMs }: { readonly words: number; readonly paceMs: number }): DefaultReply {
  const text = Array.from({ length: words }, (_, index) => VOCABULARY[index % VOCABULARY.length]).join(' ')
  const answer: ScriptedAnswer = { text, delayPerWordMs: paceMs }
  const prepared = new Map<Wire, PreparedReply>()
  return ({ wire, body }) => {
    const known = prepared.get(wire) ?? { steps: prepare(wire, answer, body) }
    prepared.set(wire, known)
    return known
  }
}

function prepare(wire: Wire, answer: ScriptedAnswer, body: Readonly<Record<string, unknown>>): PreparedReply['steps'] {
  if (answer.delayPerWordMs !== 0) return stepsOf(wire, answer, body)
  const [head] = stepsOf(wire, answer, body)
  const { opening, words, closing } = renderAnswerParts(wire, answer, body)
  const first = Buffer.from([...opening, words[0] ?? ''].join(''))
  const rest = Buffer.from([...words.slice(1), ...closing].join(''))
  return [
    ...(head === undefined ? [] : [head]),
    { kind: 'write', bytes: first },
    { kind: 'write', bytes: rest },
    { kind: 'end' },
  ]
}
