import type { Mutation } from './mutation.ts'

const area = 'turn-order'
const CHATS = 'packages/server/src/features/chats'

/** Faults in the order of chat turns: one at a time per chat, in order of arrival, until they complete or are canceled. */
export const TURN_ORDER: readonly Mutation[] = [
  {
    id: 'running-turn-given-up',
    area,
    behavior: 'A second message ends the turn that is running instead of waiting for it.',
    before: {
      file: `${CHATS}/turn-order.ts`,
      find: '(nodeId === known.nodeId && !known.isLocal(turnId))',
      replace: '(nodeId === known.nodeId && known.isLocal(turnId))',
    },
    after: {
      file: `${CHATS}/queue/turn-queue.ts`,
      find: '(nodeId === context.nodeId && !context.isLocal(turnId))',
      replace: '(nodeId === context.nodeId && context.isLocal(turnId))',
    },
  },
  {
    id: 'newcomer-overtakes',
    area,
    behavior: 'A message that arrives while others wait on another node is answered before them.',
    before: {
      file: `${CHATS}/turn-writes.ts`,
      find: 'place: place ?? END_OF_QUEUE,',
      replace: 'place: place ?? 0,',
    },
    after: {
      file: `${CHATS}/turn/turn-writes.ts`,
      find: 'place: place ?? END_OF_QUEUE,',
      replace: 'place: place ?? 0,',
    },
  },
  {
    id: 'failed-turn-blocks-chat',
    area,
    behavior: 'After a turn that could not be stored, the messages behind it are never answered.',
    before: {
      file: `${CHATS}/chat-lines.ts`,
      find: 'const tail = result.then(ignoreResult, ignoreResult)',
      replace: 'const tail = result.then(ignore)',
    },
    after: {
      file: `${CHATS}/queue/turn-queue.ts`,
      find: 'const tail = result.then(ignoreResult, ignoreResult)',
      replace: 'const tail = result.then(ignore)',
    },
  },
  {
    id: 'canceled-while-waiting-runs',
    area,
    behavior: 'A message that waits while its chat is taken back still enters the chat.',
    before: {
      file: `${CHATS}/turn-performer.ts`,
      find: '() => (run.isStopped ? Promise.resolve(neverBegan(run)) : this.#begin(start))',
      replace: '() => this.#begin(start)',
    },
    after: {
      file: `${CHATS}/turn/start-turn.ts`,
      find: 'while (run.stopReason === null) {',
      replace: 'for (;;) {',
    },
  },
  {
    id: 'retry-elsewhere-answered-twice',
    area,
    behavior: 'A retry that reaches another node while the first request waits is answered as a second message.',
    before: {
      file: `${CHATS}/turn-performer.ts`,
      find: 'if (earlier !== null) {',
      replace: 'if (earlier !== null && run.isStopped) {',
    },
    after: {
      file: `${CHATS}/turn/start-turn.ts`,
      find: '          if (await this.#joinEarlierTurn(turn)) return\n',
      replace: '',
    },
  },
  {
    id: 'retry-repeats-failure',
    area,
    behavior: 'A retry of a message whose turn failed gets the old failure again instead of an answer.',
    before: {
      file: `${CHATS}/turn-registry.ts`,
      find: "if (turn.status === 'failed' || turn.status === 'interrupted') return null",
      replace: "if (turn.status === 'interrupted') return null",
    },
    after: {
      file: `${CHATS}/queue/turn-registry.ts`,
      find: "if (turn.status === 'failed' || turn.status === 'interrupted') return null",
      replace: "if (turn.status === 'interrupted') return null",
    },
  },
  {
    id: 'new-message-lost-after-failure',
    area,
    behavior: 'After a failed turn, a different message is dropped and the old one answered in its place.',
    before: {
      file: `${CHATS}/turn-performer.ts`,
      find: 'const continued = unanswered?.content === request.content ? unanswered : null',
      replace: 'const continued = unanswered',
    },
    after: {
      file: `${CHATS}/turn/start-turn.ts`,
      find: 'return message?.content === content ? message : null',
      replace: 'return message',
    },
  },
  {
    id: 'ended-chat-talks-on-elsewhere',
    area,
    behavior: 'Ending a chat does not stop the turn that another node runs in it.',
    before: {
      file: `${CHATS}/completion-service.ts`,
      find: "    this.#signals.tell('chatCanceled', chatId)\n",
      replace: '',
    },
    after: {
      file: `${CHATS}/completion-service.ts`,
      find: "    this.#signals.emit('chatCanceled', chatId)\n",
      replace: '',
    },
  },
]
