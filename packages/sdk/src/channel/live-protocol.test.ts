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
  countsAsReceived,
  LIVE_PATH,
  LIVE_PROTOCOL,
  readServerMessage,
  type ServerMessage,
  type TurnLatency,
} from './live-protocol.ts'

/** Each member of a union as it is read: the contract infers types that may be written. */
type Read<Type> = Type extends unknown ? { readonly [Name in keyof Type]: Type[Name] } : never
/** Compiles only where two types are one, down to fields that may be absent: types that only fit each other are not. */
type Same<One, Other> =
  (<Value>() => Value extends Read<One> ? 1 : 2) extends <Value>() => Value extends Read<Other> ? 1 : 2 ? true : never

const SAME: readonly [
  Same<ServerMessage, ContractServerMessage>,
  Same<TurnLatency, ContractTurnLatency>,
  Same<ClientMessage, ContractClientMessage>,
] = [true, true, true]

/** One message of each type; a type that is missing here does not compile. */
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

test('is the protocol of the contract', () => {
  expect(SAME).toEqual([true, true, true])
  expect([LIVE_PATH, LIVE_PROTOCOL]).toEqual([CONTRACT_PATH, CONTRACT_PROTOCOL])
})

test.each(Object.values(CLIENT_MESSAGES))('$type is understood by the server', (message) => {
  expect(ContractClientMessage.parse(message)).toEqual(message)
})

test('both sides count the same messages as received', () => {
  const { recognised, ...others } = CLIENT_MESSAGES
  const stages = (['interim', 'stable', 'final'] as const).map((stage) => ({ ...recognised, stage }))
  const counted = [...Object.values(others), ...stages].filter(countsAsReceived)
  expect(counted).toEqual([...Object.values(others), ...stages].filter(contractCountsAsReceived))
  expect(counted.map(({ type }) => type)).toEqual(['recognition-failed', 'typed', 'dtmf', 'recognised'])
})

test('every type of the contract is spoken', () => {
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
])('reads nothing out of %j', (text) => {
  expect(readServerMessage(text)).toBeNull()
})

test('reads what it knows, with fields that it does not know', () => {
  expect(readServerMessage('{"type":"clear","gently":true}')).toEqual({ type: 'clear', gently: true })
})
