import type { CustomLlmClient, CustomLlmEvent, CustomLlmRequest } from '@parley/engine/ports'
import { CustomLlmAnswer } from './custom-llm-answer.ts'
import { CustomLlmConnections, type CustomLlmConnectionsOptions } from './custom-llm-connections.ts'
import { unavailable } from './custom-llm-failures.ts'

export interface CustomLlmClientOptions extends Omit<CustomLlmConnectionsOptions, 'maxConnections'> {
  /** Open connections in all; 1000 unless given. */
  readonly maxConnections?: number
}

const DEFAULT_MAX_CONNECTIONS = 1_000

/**
 * Talks to customers' servers, over one connection for each conversation, which is kept between turns. An answer of which
 * nothing was handed on yet is asked for once more when its connection is lost and the server wants that or the connection
 * was an old one.
 */
export function createCustomLlmClient(options: CustomLlmClientOptions): CustomLlmClient & { close(): Promise<void> } {
  const { clock, maxConnections = DEFAULT_MAX_CONNECTIONS } = options
  const connections = new CustomLlmConnections({ ...options, maxConnections })
  return {
    async *respond(request): AsyncGenerator<CustomLlmEvent> {
      const answer = new CustomLlmAnswer(request, clock)
      const asked = requestAnswer(answer, request, connections)
      try {
        yield* answer.events()
      } finally {
        answer.cancel()
        await asked
      }
    },
    close: () => connections.close(),
  }
}

async function requestAnswer(
  answer: CustomLlmAnswer,
  request: CustomLlmRequest,
  connections: CustomLlmConnections,
): Promise<void> {
  try {
    for (let isLast = false; !answer.isOver; isLast = true) {
      const taken = await connections.take(request, answer.signal)
      if (!taken.ok) {
        answer.fail(taken.failure)
        return
      }
      const lost = await taken.connection.ask(request, answer)
      connections.release(request.conversationId, taken.connection)
      if (lost !== null && (isLast || answer.hasStarted || !lost.canRetry)) answer.fail(lost.failure)
    }
  } catch {
    answer.fail(unavailable('The connection to the server failed.'))
  }
}
