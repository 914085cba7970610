import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/manual-clock.ts'
import { callTools, createScriptedModel, replyWith } from '../../testing/scripted-model.ts'
import { createHttpOutcome, createScriptedHttpTools } from '../../testing/scripted-ports.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { formatPrompt, startVoiceScenario } from '../../testing/voice-scenario.ts'
import { createPlainTurns } from './plain-turns-test-kit.ts'

const TEXT =
  'Of course, I can help you with that. The next train to the coast leaves at half past seven, from platform twelve; please be there in time.'
const WORDS = TEXT.split(' ')

/** Runs a call that the caller interrupts after `delayMs`. */
async function interruptAfter(delayMs: number, voice: { withWords: boolean; msPerWord: number }) {
  const model = createScriptedModel([replyWith(TEXT)])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    voices: [{ defaultStep: voice }],
  })
  scenario.caller.sendText('when does it leave')
  await scenario.run(delayMs)
  scenario.speakAsCaller(300)
  await scenario.run(800)
  const messages = scenario.listEntries('agent-message')
  const heard = scenario.listHeardWords()
  await scenario.hangUp()
  return { recordedWords: (messages[0]?.content ?? '').split(' ').filter((word) => word !== ''), heard }
}

test.each([
  ['reports word times', true, 1],
  ['reports no word times', false, 2],
])('records heard words within the tolerance for a voice that %s', async (_, withWords, maxDifference) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 60, max: 6_000 }),
      fc.integer({ min: 150, max: 400 }),
      async (delayMs, msPerWord) => {
        const { recordedWords, heard } = await interruptAfter(delayMs, { withWords, msPerWord })
        expect(WORDS.slice(0, recordedWords.length)).toEqual(recordedWords)
        expect(WORDS.slice(0, heard.length)).toEqual(heard)
        expect(Math.abs(heard.length - recordedWords.length)).toBeLessThanOrEqual(maxDifference)
      },
    ),
    { numRuns: 40 },
  )
})

test('records normalized speech as written, in whole words', async () => {
  const model = createScriptedModel([replyWith('It costs 12.50 EUR and takes 3 days.')])
  const scenario = await startVoiceScenario({ machine: createPlainTurns(), models: { main: model }, normalize: true })
  scenario.caller.sendText('what does it cost')
  await scenario.runUntil(() => scenario.listHeardWords().includes('takes'))
  const spoken = scenario.listHeardWords().join(' ')
  expect(spoken).not.toContain('12.50')
  scenario.speakAsCaller(300)
  await scenario.run(500)
  expect(scenario.listEntries('agent-message')[0]?.content).toMatch(/^It costs 12\.50 EUR and( takes)?$/)
})

test('ends the call after an internal error', async () => {
  const scenario = await startVoiceScenario({
    machine: {
      ...createPlainTurns(),
      advance: (state, event) => {
        if (event.type === 'typed') throw new Error('a fault')
        return { state, effects: [] }
      },
    },
  })
  scenario.caller.sendText('hello')
  await scenario.run(20)
  expect(scenario.getOutcome()).toMatchObject({ reason: 'error_unknown' })
  expect(scenario.listEntries('warning')).toMatchObject([{ code: 'internal-error' }])
  expect(scenario.faults).toHaveLength(1)
  scenario.assertNoLeaks()
})

const LONG = 'We are open from nine in the morning until six in the evening, from Monday to Friday.'

test('records the heard part of an interrupted answer', async () => {
  const model = createScriptedModel([replyWith(LONG), replyWith('Yes, on Saturday.')])
  const stt = createScriptedTranscriber([{ text: 'when do you open' }, { text: 'and on saturday' }])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.run(400)
  scenario.speakAsCaller(800)
  await scenario.runUntil(() => scenario.listHeardWords().length === 6)
  scenario.speakAsCaller(600)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)

  const [cut, whole] = scenario.listEntries('agent-message')
  expect(cut).toMatchObject({ interrupted: true, generatedContent: LONG })
  const heard = cut?.content.split(' ') ?? []
  expect(LONG.startsWith(cut?.content ?? '?')).toBe(true)
  // The last word was cut, and silence followed 50 ms after the voice.
  expect(scenario.listHeardWords().slice(0, heard.length)).toEqual(heard)
  expect(scenario.listHeardWords().indexOf('Yes,') - heard.length).toBeLessThanOrEqual(1)
  expect(whole).toMatchObject({ content: 'Yes, on Saturday.', interrupted: false })
  expect(formatPrompt(model.requests[1])).toEqual([
    'user: when do you open',
    `assistant: ${cut?.content}`,
    'user: and on saturday',
  ])
  await scenario.hangUp()
  model.assertConsumed()
  stt.assertConsumed()
})

test('goes silent within two frames of an interruption', async () => {
  const model = createScriptedModel([replyWith(LONG)])
  const scenario = await startVoiceScenario({ machine: createPlainTurns(), models: { main: model } })
  scenario.caller.sendText('when do you open')
  await scenario.runUntil(() => scenario.listHeardWords().length === 3)
  const fromMs = scenario.time.clock.now()
  scenario.speakAsCaller(400)
  await scenario.run(1_000)
  const lastAudioMs = scenario.listAudibleFrames().at(-1)?.atMs ?? 0
  // 50 ms of voice interrupt, and frames arrive every 20 ms.
  expect(lastAudioMs - fromMs).toBeLessThanOrEqual(100)
})

test('resumes at the cut word without skipping any', async () => {
  const model = createScriptedModel([replyWith('One two three four five six seven eight nine ten.')])
  const scenario = await startVoiceScenario({ machine: createPlainTurns(), models: { main: model } })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listHeardWords().length === 4)
  scenario.caller.sendText('pause')
  await scenario.run(2_000)
  const wordsBefore = scenario.listHeardWords()
  scenario.caller.sendText('resume')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  const wordsAfter = scenario.listHeardWords().slice(wordsBefore.length)
  expect(wordsBefore.length).toBeLessThanOrEqual(5)
  const count = 'One two three four five six seven eight nine ten.'.split(' ')
  // The cut word is the last one in the list and is repeated.
  expect([...wordsBefore, ...wordsAfter]).toEqual(count)
  expect(scenario.listEntries('agent-message')[0]).toMatchObject({ content: count.join(' '), interrupted: false })
})

test('lets a tool finish after an interruption and records its result', async () => {
  const model = createScriptedModel([callTools(['look_up', { day: 'monday' }]), replyWith('As I said, yes.')])
  const time = createManualClock()
  const http = createScriptedHttpTools({
    look_up: [
      () =>
        new Promise((resolve) => {
          time.clock.after(3_000, () => resolve(createHttpOutcome({ open: true })))
        }),
    ],
  })
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    time,
    models: { main: model },
    http,
    engine: {
      tools: [
        { type: 'custom', name: 'look_up', url: 'http://127.0.0.1/x', method: 'POST', parameters: { type: 'object' } },
      ],
    },
  })
  scenario.caller.sendText('are you open on monday')
  await scenario.run(500)
  scenario.session.say('One moment, please, while I look.', true)
  await scenario.runUntil(() => scenario.listHeardWords().length === 2)
  scenario.speakAsCaller(300)
  await scenario.run(4_000)
  expect(scenario.listEntries('tool-result')).toMatchObject([{ name: 'look_up', successful: true }])
  scenario.caller.sendText('hello?')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  expect(formatPrompt(model.requests[1])).toEqual([
    'user: are you open on monday',
    'assistant: [look_up]',
    'tool: {"open":true}',
    expect.stringMatching(/^assistant: One/),
    'user: hello?',
  ])
  model.assertConsumed()
})

const COUNT = 'One two three four five six seven eight nine ten.'
const OPENING =
  'Hello and welcome to the museum of the sea. Today we are open until six. The whales are on the first floor, and the ships are behind them. What would you like to see?'

test('times words after a pause as they were heard', async () => {
  const model = createScriptedModel([replyWith(COUNT)])
  const scenario = await startVoiceScenario({ machine: createPlainTurns(), models: { main: model } })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listHeardWords().length === 5)
  scenario.caller.sendText('pause')
  await scenario.run(700)
  scenario.caller.sendText('resume')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  const [message] = scenario.listEntries('agent-message')
  const words = message?.words ?? []
  expect(words.map(({ word }) => word).join(' ')).toBe(COUNT)
  expect((words[0]?.startMs ?? 0) - (message?.startMs ?? 0)).toBe(0)
  expect(Math.abs((words.at(-1)?.endMs ?? 0) - (message?.endMs ?? 0))).toBeLessThanOrEqual(120)
  // The word at the seam was repeated; later words shift by the pause.
  const gaps = words.slice(1).map(({ startMs }, index) => startMs - (words[index]?.endMs ?? 0))
  expect(gaps.filter((gap) => gap > 0)).toHaveLength(1)
  expect(Math.max(...gaps)).toBeGreaterThan(500)
})

test('ignores a playback report sent before the agent was interrupted', async () => {
  const model = createScriptedModel([replyWith(`${COUNT} ${COUNT}`)])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    voices: [{ defaultStep: { msPerWord: 60 } }],
    leg: { reportDelayMs: 120 },
  })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listHeardWords().length === 12)
  scenario.speakAsCaller(200)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  const recordedWords = scenario.listEntries('agent-message')[0]?.content.split(' ') ?? []
  expect(Math.abs(scenario.listHeardWords().length - recordedWords.length)).toBeLessThanOrEqual(1)
})

test('speaks a long opening in clauses and records one message', async () => {
  const model = createScriptedModel([replyWith('This way.')])
  const scenario = await startVoiceScenario({ models: { main: model }, opening: { type: 'say', text: OPENING } })
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.voices[0]?.requests.length).toBeGreaterThan(2)
  expect(scenario.listHeardWords().join(' ')).toBe(OPENING)
  expect(scenario.listEntries('agent-message')).toMatchObject([
    { kind: 'opening', content: OPENING, generatedContent: OPENING, interrupted: false },
  ])
  scenario.caller.sendText('the whales')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  expect(model.requests.map(formatPrompt)).toEqual([[`assistant: ${OPENING}`, 'user: the whales']])
})

test('records a long `say` text up to the interruption', async () => {
  const model = createScriptedModel([replyWith('Sure.')])
  const scenario = await startVoiceScenario({ models: { main: model } })
  scenario.session.say(OPENING, true)
  await scenario.runUntil(() => scenario.listHeardWords().length === 15)
  scenario.caller.sendText('stop it')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  const [message] = scenario.listEntries('agent-message')
  expect(message).toMatchObject({ kind: 'say', generatedContent: OPENING, interrupted: true })
  expect(OPENING.startsWith(message?.content ?? '-')).toBe(true)
  // The 15th word was cut, and the 14th not yet confirmed.
  expect(
    OPENING.split(' ')
      .slice(0, 14)
      .join(' ')
      .startsWith(message?.content ?? '-'),
  ).toBe(true)
  expect(message?.content.split(' ').length).toBeGreaterThanOrEqual(13)
})

test('limits how far synthesis runs ahead and speaks the whole answer', async () => {
  const sentences = Array.from({ length: 60 }, (_, index) => `This is sentence number ${index} of a very long answer. `)
  const model = createScriptedModel([replyWith(...sentences)])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    voices: [{ defaultStep: { msPerWord: 60 } }],
  })
  scenario.caller.sendText('tell me everything')
  let requestedCharacters = 0
  let maxAhead = 0
  await scenario.runUntil(() => {
    const requestedNow = scenario.voices[0]?.requests.reduce((sum, { text }) => sum + text.length, 0) ?? 0
    // Synthesis has its greatest lead right after a request.
    if (requestedNow > requestedCharacters)
      maxAhead = Math.max(maxAhead, requestedNow - scenario.listHeardWords().join(' ').length)
    requestedCharacters = requestedNow
    return scenario.listEntries('agent-message').length === 1
  })
  expect(maxAhead).toBeGreaterThan(50)
  expect(maxAhead).toBeLessThan(1_000)
  expect(scenario.listHeardWords().join(' ')).toBe(sentences.join('').trim())
})
