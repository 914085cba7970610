import { flushPromises } from '@parley/engine/testing/manual-clock'
import type { TranscriberEvent } from '@parley/engine/voice/ports'
import type { DeepgramConnection } from '../../../../../../testing/deepgram-server/deepgram-connection.ts'
import { DEEPGRAM_KEY, startDeepgramServer } from '../../../../../../testing/deepgram-server/deepgram-server.ts'
import { createSteppedClock } from '../../../../../../testing/tool-server/stepped-clock.ts'
import type { OpenGuardedSocket } from '../../../platform/outbound/guarded-socket.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { createLoopbackOpener } from '../vendor-socket-test-kit.ts'
import { createDeepgramTranscriber } from './deepgram-transcriber.ts'

export type DeepgramSetup = Awaited<ReturnType<typeof setUpDeepgram>>

/** Starts a server whose time limits follow the clock of its clients. */
export async function setUpDeepgram(apiKey = DEEPGRAM_KEY) {
  const clock = createSteppedClock()
  const server = await startDeepgramServer({ clock })
  const openLoopbackSocket = createLoopbackOpener(server.port, clock)
  const openedSockets = Array.from({ length: 20 }, () => Promise.withResolvers<void>())
  let openCount = 0
  const openSocket: OpenGuardedSocket = async (request) => {
    const outcome = await openLoopbackSocket(request)
    const opened = outcome.ok ? openedSockets[openCount++] : undefined
    // The client adds its listeners first.
    void flushPromises().then(() => opened?.resolve())
    return outcome
  }
  return {
    server,
    clock,
    target: { openSocket, clock, baseUrl: server.url, apiKey },
    /** Resolves to a connection by its number once the client has opened it. */
    async opened(index: number): Promise<DeepgramConnection> {
      await openedSockets[index]?.promise
      return await server.connected(index)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Opens a transcription and waits for its connection. */
export async function listen(
  { server, target, opened }: DeepgramSetup,
  model: string,
  keywords: readonly string[] = [],
  hints: Parameters<typeof openTranscription>[2] = {},
) {
  const transcription = openTranscription(createDeepgramTranscriber({ ...target, model }), keywords, hints)
  return { transcription, connection: await opened(server.connections.length) }
}

/** Resolves when an event that meets the condition has been emitted, with all events up to then. */
export async function waitForEvent(
  { waitForEvents }: ReturnType<typeof openTranscription>,
  condition: (event: TranscriberEvent) => boolean,
): Promise<readonly TranscriberEvent[]> {
  for (let count = 1; ; count += 1) {
    const events = await waitForEvents(count)
    if (events.slice(0, count).some(condition)) return events.slice(0, count)
  }
}

/** Sends messages of the vendor to a new transcription. Returns the events before the first that meets the condition. */
export async function replayMessages(
  model: string,
  messages: readonly object[],
  isLast: (event: TranscriberEvent) => boolean,
): Promise<readonly TranscriberEvent[]> {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, model)
  for (const message of messages) connection.send({ ...message })
  const events = await waitForEvent(transcription, isLast)
  transcription.session.close()
  return events.slice(0, -1)
}
