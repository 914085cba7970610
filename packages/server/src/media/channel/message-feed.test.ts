import type { CallUpdate } from '@parley/engine/voice/ports'
import { expect, test } from 'vitest'
import { toServerMessage } from './message-feed.ts'

const LATENCY = {
  totalMs: 900,
  endOfTurnMs: 300,
  recogniserMs: null,
  retrievalMs: null,
  modelFirstTokenMs: 200,
  firstClauseMs: null,
  synthesisFirstAudioMs: null,
  playoutMs: null,
}

const caption = { id: 'a', role: 'user', text: 'Hello', final: true, interrupted: false } as const
const node = { nodeId: 'n', nodeName: 'Greeting', path: ['c'] }

test.each<[CallUpdate, string]>([
  [{ type: 'activity', agent: 'thinking', user: 'silent' }, '{"type":"state","agent":"thinking","user":"silent"}'],
  [
    { type: 'caption', ...caption },
    '{"type":"caption","id":"a","role":"user","text":"Hello","final":true,"interrupted":false,"seq":0}',
  ],
  [
    { type: 'agent-change', agentName: 'Bill', language: 'de-DE' },
    '{"type":"agent","agentName":"Bill","language":"de-DE","seq":0}',
  ],
  [
    { type: 'node-transition', ...node },
    '{"type":"node-transition","nodeId":"n","nodeName":"Greeting","path":["c"],"seq":0}',
  ],
  [{ type: 'tool-start', name: 'look_up' }, '{"type":"tool","name":"look_up","phase":"started","seq":0}'],
  [{ type: 'tool-end', name: 'look_up' }, '{"type":"tool","name":"look_up","phase":"ended","seq":0}'],
  [
    { type: 'turn-latency', turnId: 't', latency: LATENCY },
    `{"type":"latency","turnId":"t","latency":${JSON.stringify(LATENCY)},"seq":0}`,
  ],
  [{ type: 'warning', code: 'x', message: 'Careful.' }, '{"type":"warning","code":"x","message":"Careful.","seq":0}'],
  [{ type: 'end', reason: 'agent_hangup' }, '{"type":"ended","reason":"agent_hangup"}'],
])('serializes %j', (update, text) => {
  expect(JSON.stringify(toServerMessage(update))).toBe(text)
})
