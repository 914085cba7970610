import type { Agent } from 'undici'

export interface TurnTarget {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Bytes that stand in the answer for the first time with the first word of the text. */
  readonly firstToken: string
  /** Bytes without which the answer is not complete. */
  readonly lastToken: string
}

export interface TurnTimes {
  /** From the sending of the request to the first word. */
  readonly firstTokenMs: number
  /** From the sending of the request to the end of the response. */
  readonly totalMs: number
}

/** Enough of the answer's end to find the last token in. */
const BUFFER_TAIL_CHARACTERS = 400

/** Runs requests one after the other, as a client does that acts itself: the first word is that of the last answer. */
export async function runStepsOfTurn(agent: Agent, steps: readonly TurnTarget[]): Promise<TurnTimes> {
  let times: TurnTimes = { firstTokenMs: 0, totalMs: 0 }
  for (const step of steps) {
    const { firstTokenMs, totalMs } = await runStreamedTurn(agent, step)
    times = { firstTokenMs: times.totalMs + firstTokenMs, totalMs: times.totalMs + totalMs }
  }
  return times
}

/** Sends one turn and reads its stream to the end; the same light client for everything that is compared. */
export async function runStreamedTurn(agent: Agent, target: TurnTarget): Promise<TurnTimes> {
  const startedAt = performance.now()
  const { statusCode, body } = await agent.request({ ...target, method: 'POST' })
  let firstTokenMs = Number.NaN
  let seen = ''
  for await (const chunk of body as AsyncIterable<Buffer>) {
    seen += chunk.toString('latin1')
    if (Number.isNaN(firstTokenMs) && seen.includes(target.firstToken)) firstTokenMs = performance.now() - startedAt
    if (!Number.isNaN(firstTokenMs)) seen = seen.slice(-BUFFER_TAIL_CHARACTERS)
  }
  const totalMs = performance.now() - startedAt
  if (statusCode > 201 || Number.isNaN(firstTokenMs) || !seen.includes(target.lastToken)) {
    throw new Error(`${target.origin}${target.path} answered ${statusCode} without a whole answer: ${seen}`)
  }
  return { firstTokenMs, totalMs }
}
