import type { Mutation } from './mutation.ts'

const area = 'failover'
const CHATS = 'packages/server/src/features/chats'

/** Faults in the failover of turns from a node that died or was paused. */
export const FAILOVER: readonly Mutation[] = [
  {
    id: 'paused-node-ends-foreign-turn',
    area,
    behavior: 'A node that was paused ends a turn that another node runs by now, and the answer appears twice.',
    before: {
      file: `${CHATS}/turn-writes.ts`,
      find: 'return [chat, { query: turn, expectRows: 1 }, ...messages]',
      replace: 'return [chat, { query: turn }, ...messages]',
    },
    after: {
      file: `${CHATS}/turn/turn-writes.ts`,
      find: 'return [chat, { query: turn, expectRows: 1 }, ...messages]',
      replace: 'return [chat, { query: turn }, ...messages]',
    },
  },
  {
    id: 'paused-node-writes-into-foreign-turn',
    area,
    behavior: 'A node that was paused runs the tools of a turn that another node has taken over.',
    before: {
      file: `${CHATS}/turn-writes.ts`,
      find: '{ query: confirmation, expectRows: 1 },',
      replace: '{ query: confirmation },',
    },
    after: {
      file: `${CHATS}/turn/turn-writes.ts`,
      find: '{ query: confirmation, expectRows: 1 },',
      replace: '{ query: confirmation },',
    },
  },
  {
    id: 'words-twice-after-takeover',
    area,
    behavior: 'After a takeover, readers get the words again that they already have.',
    before: {
      file: `${CHATS}/resume-turn.ts`,
      find: "retelling: text === '' ? null : { told: text, said: '' },",
      replace: 'retelling: null,',
    },
    after: {
      file: `${CHATS}/failover/resume-turn.ts`,
      find: "const replay = text === '' ? null : { published: text, repeated: '' }",
      replace: 'const replay = null',
    },
  },
  {
    id: 'messages-twice-after-takeover',
    area,
    behavior: 'After a takeover, readers get finished messages a second time.',
    before: {
      file: `${CHATS}/retelling.ts`,
      find: '    if (told.messageIds.has(message.message_id)) continue\n',
      replace: '',
    },
    after: {
      file: `${CHATS}/failover/replay.ts`,
      find: '    if (published.messageIds.has(message.message_id)) continue\n',
      replace: '',
    },
  },
  {
    id: 'two-survivors-take-one-turn',
    area,
    behavior: 'Two nodes take over the same turn, and its tools run twice.',
    before: {
      file: `${CHATS}/take-over.ts`,
      find: '{ query: claim.compile(), expectRows: 1 }',
      replace: '{ query: claim.compile() }',
    },
    after: {
      file: `${CHATS}/failover/takeover.ts`,
      find: '{ query: claimQuery.compile(), expectRows: 1 }',
      replace: '{ query: claimQuery.compile() }',
    },
  },
  {
    id: 'deadly-turn-kills-every-node',
    area,
    behavior: 'A turn that kills the node that runs it is passed on until no node is left.',
    before: {
      file: `${CHATS}/resume-turn.ts`,
      find: "takeoverCount <= MOST_TAKE_OVERS && chat.status === 'ongoing'",
      replace: "chat.status === 'ongoing'",
    },
    after: {
      file: `${CHATS}/failover/resume-turn.ts`,
      find: "takeoverCount <= MAX_TAKEOVERS && chat.status === 'ongoing'",
      replace: "chat.status === 'ongoing'",
    },
  },
  {
    id: 'outage-buries-living-nodes',
    area,
    behavior: 'After an outage of the database, the first node back takes over the work of living nodes.',
    before: {
      file: 'packages/server/src/platform/nodes/node-registry.ts',
      find: 'this.#isSilent(seenAt, now) && this.#isSilent(this.#steadySince, now)',
      replace: 'this.#isSilent(seenAt, now)',
    },
    after: {
      file: 'packages/server/src/platform/nodes/node-registry.ts',
      find: 'this.#isSilent(seenAt, now) && this.#isSilent(this.#uninterruptedSince, now)',
      replace: 'this.#isSilent(seenAt, now)',
    },
  },
  {
    id: 'paused-node-tells-own-version',
    area,
    behavior: 'Readers at a node that was paused get words of an answer that was never stored.',
    before: {
      file: `${CHATS}/turn-journal.ts`,
      find: `    this.#removeEntry(entry)
    entry.run.lose()`,
      replace: '    this.leave(entry.run)',
    },
    after: {
      file: `${CHATS}/journal/turn-journal.ts`,
      find: `    this.#removeEntry(entry)
    entry.run.dispatch({ type: 'moved' })`,
      replace: '    this.leave(entry.run)',
    },
  },
]
