import type { CustomLlmEvent, CustomLlmRequest } from '@parley/engine/ports'
import { createManualClock, type ManualClock } from '@parley/engine/testing/manual-clock'
import { expect } from 'vitest'
import { advanceUntil } from '../../../../../testing/advance-until.ts'
import {
  type CustomLlmServer,
  startCustomLlmServer,
} from '../../../../../testing/custom-llm-server/custom-llm-server.ts'
import { createConfigFrame } from '../../../../../testing/custom-llm-server/llm-action.ts'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createGuardedSocketOpener } from '../../platform/outbound/guarded-socket.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { createCustomLlmClient } from './custom-llm-client.ts'

export const TEST_DEADLINES = { firstTokenMs: 20_000, idleMs: 5_000, totalMs: 60_000 }

/** Creates a client in virtual time that can connect to only one loopback port. */
export function createTestClient(port: number, { maxConnections }: { maxConnections?: number } = {}) {
  const time = createManualClock()
  const client = createCustomLlmClient({
    clock: time.clock,
    openSocket: createGuardedSocketOpener({
      clock: time.clock,
      policy: createTargetPolicy({ allowPrivateTargets: [`127.0.0.1:${port}`] }),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      makeConnector: createLoopbackConnector,
    }),
    ...(maxConnections === undefined ? {} : { maxConnections }),
  })
  return { client, time }
}

export interface LlmSetup {
  readonly server: CustomLlmServer
  readonly time: ManualClock
  /** Requests a response. Returns the events so far and a promise of all events. */
  request(changes?: Partial<CustomLlmRequest>): {
    readonly events: readonly CustomLlmEvent[]
    readonly done: Promise<readonly CustomLlmEvent[]>
  }
  /** Advances virtual time until the promise settles. */
  wait<Result>(promise: Promise<Result>, stepMs?: number): Promise<Result>
  closeClient(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens a server with a minimal config, and a client. */
export async function setUpLlm(options: { maxConnections?: number } = {}): Promise<LlmSetup> {
  const server = await startCustomLlmServer()
  server.greeting = [createConfigFrame({ auto_reconnect: false, call_details: false })]
  const { client, time } = createTestClient(server.port, options)
  const closeClient = async (): Promise<void> => {
    await advanceUntil(time, client.close(), 100)
  }
  return {
    server,
    time,
    request: (changes) => collectEvents(client.respond(buildRequest(server.url, changes))),
    wait: (promise, stepMs = 0) => advanceUntil(time, promise, stepMs),
    closeClient,
    async [Symbol.asyncDispose]() {
      await closeClient()
      await server.close()
    },
  }
}

/** Builds a request with one message and the given changes. */
export function buildRequest(url: string, changes: Partial<CustomLlmRequest> = {}): CustomLlmRequest {
  return {
    conversationId: 'chat_1',
    url,
    requestType: 'answer',
    transcript: [{ role: 'user', content: 'Hello' }],
    conversation: { chat_id: 'chat_1' },
    deadlines: TEST_DEADLINES,
    signal: new AbortController().signal,
    ...changes,
  }
}

/** Collects the events of a stream. */
export function collectEvents(stream: AsyncIterable<CustomLlmEvent>) {
  const events: CustomLlmEvent[] = []
  const consume = async (): Promise<readonly CustomLlmEvent[]> => {
    for await (const event of stream) events.push(event)
    return events
  }
  return { events, done: consume() }
}

/** Returns the text of a response. */
export function joinTexts(events: readonly CustomLlmEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

/** Returns the failure that ends the events. Checks that its message is a sentence without addresses and ids. */
export function getFailure(events: readonly CustomLlmEvent[]) {
  const lastEvent = events.at(-1)
  if (lastEvent?.type !== 'failed') throw new Error(`ends with ${lastEvent?.type}`)
  expect(lastEvent.failure.message).toMatch(/^[A-Z].*\.$/)
  expect(lastEvent.failure.message).not.toMatch(/127\.0\.0\.1|localhost|chat_1|:\d{4,5}/)
  return lastEvent.failure
}
