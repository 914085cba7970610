import type { ClientMessage } from '@parley/contract/live'
import type { Clock } from '@parley/engine/ports'
import { CLOSE_CODES, type WebConnection } from '../channel/web-connection.ts'

/** What a connection can begin with. */
export type FirstMessage = Extract<ClientMessage, { type: 'join' | 'resume' | 'listen' }>

export interface FirstMessages {
  /** Waits for the first message of a connection; `settle` is called once it came, or will not. */
  expect(connection: WebConnection, settle: () => void): void
  /** Waits for none any more: each connection that has said nothing is given to `refuse`. */
  giveUp(refuse: (connection: WebConnection) => void): void
}

const FIRST_MESSAGE_MS = 5_000
const EXPECTED_FIRST_MESSAGE = 'The first message must be join, resume or listen.'

/** A connection has some seconds to say what it wants, and anything else ends it. */
export function createFirstMessages(
  clock: Clock,
  onMessage: (connection: WebConnection, message: FirstMessage) => void,
): FirstMessages {
  /** With what forgets each of them. */
  const waiting = new Map<WebConnection, () => void>()

  return {
    expect(connection, settle) {
      const refuse = (code: string, message: string): void => {
        leave()
        connection.refuse({ code, message, retry: false }, CLOSE_CODES.policy)
      }
      const cancel = clock.after(FIRST_MESSAGE_MS, () => refuse('too_late', 'The first message did not come in time.'))
      const leave = (): void => {
        cancel()
        waiting.delete(connection)
        settle()
      }
      waiting.set(connection, leave)
      connection.listen({
        message(message) {
          if (message.type !== 'join' && message.type !== 'resume' && message.type !== 'listen') {
            refuse('not_joined', EXPECTED_FIRST_MESSAGE)
            return
          }
          leave()
          onMessage(connection, message)
        },
        invalid: (problem) => refuse('invalid_message', problem ?? EXPECTED_FIRST_MESSAGE),
        audio: () => refuse('not_joined', EXPECTED_FIRST_MESSAGE),
        closed: leave,
      })
    },

    giveUp(refuse) {
      for (const [connection, leave] of [...waiting]) {
        leave()
        refuse(connection)
      }
    },
  }
}
