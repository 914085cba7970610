import { expect, test } from 'vitest'
import { type ChatQueue, decideQueueStep } from './decide-queue-step.ts'

const waiting = (turn_id: string, place: number, node_id: string) => ({ turn_id, place, node_id })
const active = (turnId: string, nodeId: string | null, isRunning = true) => ({ turnId, nodeId, isRunning })

/** Node `me` waits with `mine` and runs `running`; node `gone` is dead. */
const known = {
  turnId: 'mine',
  nodeId: 'me',
  dead: new Set(['gone']),
  isLocal: (turnId: string) => turnId === 'mine' || turnId === 'running',
}

test.for<[string, ChatQueue, object]>([
  ['a free chat is begun', { active: null, waiting: [] }, { type: 'start' }],
  ['the first in the line begins', { active: null, waiting: [waiting('mine', 3, 'me')] }, { type: 'start' }],
  [
    'who came later is not waited for',
    { active: null, waiting: [waiting('mine', 3, 'me'), waiting('later', 4, 'other')] },
    { type: 'start' },
  ],
  [
    'who came earlier is',
    { active: null, waiting: [waiting('earlier', 2, 'other'), waiting('mine', 3, 'me')] },
    { type: 'wait' },
  ],
  ['without a place everybody is earlier', { active: null, waiting: [waiting('other', 9, 'other')] }, { type: 'wait' }],
  [
    'waiting turns of dead nodes, and those that this node forgot, are removed',
    {
      active: null,
      waiting: [waiting('x', 1, 'gone'), waiting('y', 2, 'me'), waiting('z', 3, 'other'), waiting('mine', 4, 'me')],
    },
    { type: 'remove', turnIds: ['x', 'y'] },
  ],
  ['a running turn is waited for', { active: active('t', 'other'), waiting: [] }, { type: 'wait' }],
  ['also one of this node', { active: active('running', 'me'), waiting: [] }, { type: 'wait' }],
  [
    'one that this node does not run is given up',
    { active: active('t', 'me'), waiting: [] },
    { type: 'free', turnId: 't' },
  ],
  ['one that is over is cleared', { active: active('t', 'other', false), waiting: [] }, { type: 'free', turnId: 't' }],
  [
    'one of a dead node is taken over',
    { active: active('t', 'gone'), waiting: [] },
    { type: 'adopt', turnId: 't', nodeId: 'gone' },
  ],
  ['one of no node as well', { active: active('t', null), waiting: [] }, { type: 'adopt', turnId: 't', nodeId: null }],
])('%s', ([, line, step]) => {
  expect(decideQueueStep(line, known)).toEqual(step)
})
