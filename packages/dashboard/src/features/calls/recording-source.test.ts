import { expect, test } from 'vitest'
import { recordingAddress, recordingStateOf, safeLink } from './recording-source.ts'

const call = {
  callId: 'call_1',
  status: 'ended',
  startedAt: '2026-11-23T00:00:00.000Z',
  recordingUrl: 'https://parley.example/api/v1/calls/call_1/recording?expires=1&signature=x',
  optOutSensitiveDataStorage: false,
} as const

test('a recording is here, elsewhere, or there is a reason why not', () => {
  expect(recordingStateOf(call)).toBe('here')
  expect(recordingStateOf({ ...call, recordingUrl: 'https://carrier.example/rec/1.mp3' })).toBe('elsewhere')
  expect(recordingStateOf({ ...call, recordingUrl: 'javascript:alert(1)' })).toBe('elsewhere')
  expect(recordingStateOf({ ...call, status: 'ongoing' })).toBe('live')
  const without = { ...call, recordingUrl: null }
  expect(recordingStateOf(without)).toBe('none')
  expect(recordingStateOf({ ...without, optOutSensitiveDataStorage: true })).toBe('not-stored')
  expect(recordingStateOf({ ...without, status: 'not_connected', startedAt: null })).toBe('never-began')
})

test('only links of the web are followed', () => {
  expect(safeLink('https://carrier.example/rec/1.mp3')).toBe('https://carrier.example/rec/1.mp3')
  expect([safeLink('javascript:alert(1)'), safeLink('data:text/html,x'), safeLink('x'), safeLink(null)]).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test('the page plays from its own host, the channel that was chosen', () => {
  expect(recordingAddress('call_1', 'agent')).toBe('/api/v1/calls/call_1/recording?channel=agent')
})
