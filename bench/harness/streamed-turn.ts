import type { Agent } from 'undici'

export interface TurnTarget {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Bytes that first appear in the response together with the first word. */
  readonly firstToken: string
  /** Bytes that every complete response contains. */
  readonly lastToken: string
}

export interface TurnTimes {
  /** Time from sending the request to the first word. */
  readonly firstTokenMs: number
  /** Time from sending the request to the end of the response. */
  readonly totalMs: number
}

/** Number of characters at the end of the response in which the last token is searched. */
const BUFFER_TAIL_CHARACTERS = 400

/** Runs requests in sequence, like a client that performs all steps. The first word is the first word of the last response. */
export async function runTurnSteps(agent: Agent, steps: readonly TurnTarget[]): Promise<TurnTimes> {
  let times: TurnTimes = { firstTokenMs: 0, totalMs: 0 }
  for (const step of steps) {
    const { firstTokenMs, totalMs } = await runStreamedTurn(agent, step)
    times = { firstTokenMs: times.totalMs + firstTokenMs, totalMs: times.totalMs + totalMs }
  }
  return times
}

/** Sends one turn and reads the stream to its end. All contenders use the same light client. */
export async function runStreamedTurn(agent: Agent, target: TurnTarget): Promise<TurnTimes> {
  const startedAt = performance.now()
  const { statusCode, body } = await agent.request({ ...target, method: 'POST' })
  let firstTokenMs = Number.NaN
  let received = ''
  for await (const chunk of body as AsyncIterable<Buffer>) {
    received += chunk.toString('latin1')
    if (Number.isNaN(firstTokenMs) && received.includes(target.firstToken)) firstTokenMs = performance.now() - startedAt
    if (!Number.isNaN(firstTokenMs)) received = received.slice(-BUFFER_TAIL_CHARACTERS)
  }
  const totalMs = performance.now() - startedAt
  if (statusCode > 201 || Number.isNaN(firstTokenMs) || !received.includes(target.lastToken)) {
    throw new Error(`${target.origin}${target.path} returned ${statusCode} with an incomplete response: ${received}`)
  }
  return { firstTokenMs, totalMs }
}
