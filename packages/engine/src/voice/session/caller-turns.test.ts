import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { CallerTurns } from './caller-turns.ts'

const heard = (utteranceId: string, text: string, stage: 'interim' | 'final' = 'interim') => ({
  utteranceId,
  text,
  stage,
  endOfTurn: null,
  words: stage === 'final' ? text.split(' ').map((word, index) => ({ text: word, startMs: index, endMs: index })) : [],
})

test('a turn has the words of its utterances', () => {
  const turns = new CallerTurns()
  expect(turns.heard(heard('a', 'A table', 'final'), 1_000)).toBe('A table')
  expect(turns.heard(heard('b', 'for two', 'final'), 2_000)).toBe('A table for two')
  expect(turns.take()).toMatchObject({ finalTextAtMs: 2_000 })
  expect(turns.text).toBe('')
})

test('what comes late of a turn that was taken is not of the next one', () => {
  const turns = new CallerTurns()
  turns.heard(heard('a', 'I see'), 1_000)
  turns.take()
  expect(turns.heard(heard('a', 'I see.', 'final'), 1_200)).toBe('')
  expect(turns.heard(heard('a', 'I see. But when?', 'final'), 1_300)).toBe('But when?')
  expect(turns.take().words.map(({ text }) => text)).toEqual(['But', 'when?'])
  expect(turns.heard(heard('b', 'I see. Good'), 1_400)).toBe('I see. Good')
})

test('a turn is recorded from its own first voice on, whatever was heard long before', async () => {
  const stt = scriptedTranscriber([{ text: '', stalls: true }, { text: 'when do you open' }])
  const scenario = await startVoiceScenario({
    models: { main: scriptedModel([says('At nine.'), says('At nine.')]) },
    transcribers: [stt.transcriber],
  })
  await scenario.run(1_000)
  scenario.callerSpeaks(150)
  await scenario.run(8_000)
  scenario.callerSpeaks(1_000)
  await scenario.runUntil(() => scenario.entries('user-message').length === 1)
  const [message] = scenario.entries('user-message')
  expect(Math.abs((message?.startMs ?? 0) - 9_000)).toBeLessThanOrEqual(20)
})
