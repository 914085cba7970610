import type { ServerMessage as ContractServerMessage, TurnLatency as ContractTurnLatency } from '@parley/contract/live'
import {
  LIVE_PATH as CONTRACT_PATH,
  LIVE_PROTOCOL as CONTRACT_PROTOCOL,
  ClientMessage as ContractClientMessage,
  countsAsReceived as contractCountsAsReceived,
} from '@parley/contract/live'
import { expect, test } from 'vitest'
import {
  type ClientMessage,
  LIVE_PATH,
  LIVE_PROTOCOL,
  readServerMessage,
  requiresAcknowledgment,
  type ServerMessage,
  type TurnLatency,
} from './live-protocol.ts'

/** Maps each member of a union to its readonly form. */
type ReadonlyOf<Type> = Type extends unknown ? { readonly [Name in keyof Type]: Type[Name] } : never
/** Compiles only if two types are identical, including optional fields. */
type IsSame<Left, Right> =
  (<Value>() => Value extends ReadonlyOf<Left> ? 1 : 2) extends <Value>() => Value extends ReadonlyOf<Right> ? 1 : 2
    ? true
    : never

const TYPES_MATCH: readonly [
  IsSame<ServerMessage, ContractServerMessage>,
  IsSame<TurnLatency, ContractTurnLatency>,
  IsSame<ClientMessage, ContractClientMessage>,
] = [true, true, true]

/** One message per type; missing types do not compile. */
const CLIENT_MESSAGES: { readonly [Type in ClientMessage['type']]: Extract<ClientMessage, { type: Type }> } = {
  join: {
    type: 'join',
    protocol: 1,
    accessToken: 'token',
    rateHz: 16_000,
    recognition: true,
    echoCancellation: true,
  },
  resume: { type: 'resume', protocol: 1, resumeToken: 'token', lastSeq: 4 },
  listen: { type: 'listen', protocol: 1, accessToken: 'token' },
  position: { type: 'position', playedSamples: 1, capturedSamples: 2 },
  recognised: { type: 'recognised', utteranceId: 'u1', text: 'Hello', stage: 'interim' },
  'recognition-failed': { type: 'recognition-failed' },
  typed: { type: 'typed', text: 'Hello' },
  dtmf: { type: 'dtmf', digit: '#' },
  muted: { type: 'muted', muted: true },
  ping: { type: 'ping', id: 1 },
  leave: { type: 'leave' },
}

test('the protocol equals the contract', () => {
  expect(TYPES_MATCH).toEqual([true, true, true])
  expect([LIVE_PATH, LIVE_PROTOCOL]).toEqual([CONTRACT_PATH, CONTRACT_PROTOCOL])
})

test.each(Object.values(CLIENT_MESSAGES))('the server accepts $type', (message) => {
  expect(ContractClientMessage.parse(message)).toEqual(message)
})

test('both sides count the same messages as received', () => {
  const { recognised, ...otherMessages } = CLIENT_MESSAGES
  const stages = (['interim', 'stable', 'final'] as const).map((stage) => ({ ...recognised, stage }))
  const countedMessages = [...Object.values(otherMessages), ...stages].filter(requiresAcknowledgment)
  expect(countedMessages).toEqual([...Object.values(otherMessages), ...stages].filter(contractCountsAsReceived))
  expect(countedMessages.map(({ type }) => type)).toEqual(['recognition-failed', 'typed', 'dtmf', 'recognised'])
})

test('covers all message types of the contract', () => {
  const types = ContractClientMessage.options.map(({ shape }) => shape.type.value)
  expect(Object.keys(CLIENT_MESSAGES).sort()).toEqual([...types].sort())
})

test.each([
  '',
  'no JSON',
  '7',
  'null',
  '[]',
  '{}',
  '{"type":"of-a-newer-server"}',
  '{"type":7}',
  '{"type":"toString"}',
])('ignores %j', (text) => {
  expect(readServerMessage(text)).toBeNull()
})

test('accepts unknown fields', () => {
  expect(readServerMessage('{"type":"clear","gently":true}')).toEqual({ type: 'clear', gently: true })
})
