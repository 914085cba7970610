import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LanguageModel } from '../../ports.ts'
import { createManualClock } from '../../testing/manual-clock.ts'
import type { ScriptedModel } from '../../testing/scripted-model.ts'
import { createHttpOutcome, createScriptedHttpTools } from '../../testing/scripted-ports.ts'
import type { ScriptedSpeech } from '../../testing/scripted-synthesizer.ts'
import { createScriptedTranscriber, type ScriptedUtterance } from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario, type VoiceScenario } from '../../testing/voice-scenario.ts'

const TOOL = {
  type: 'custom',
  name: 'look_up',
  url: 'http://127.0.0.1/x',
  method: 'POST',
  parameters: { type: 'object' },
} as const

const TEXTS = ['mhm', 'When do you open?', 'No wait, stop.', 'and then I', 'My number is 555', 'Yes.', '']

/** Creates a model that calls a tool on every third request and otherwise answers with unique text. */
function createTalkativeModel(): ScriptedModel {
  let requestCount = 0
  const model: LanguageModel = {
    name: 'talkative',
    async *stream({ messages }) {
      requestCount += 1
      const isAfterTool = messages.at(-1)?.role === 'tool'
      if (requestCount % 3 === 0 && !isAfterTool) {
        yield { type: 'tool-call', call: { id: `${requestCount}`, name: 'look_up', argumentsText: '{}' } }
        yield { type: 'finish', reason: 'tool-calls', usage: null }
        return
      }
      for (const part of [`Answer ${requestCount} `, 'begins here, ', 'goes on for a while. ', 'Then it ends.']) {
        yield { type: 'text-delta', text: part }
      }
      yield { type: 'finish', reason: 'stop', usage: null }
    },
  }
  return { model, requests: [], assertConsumed: () => {} }
}

type Action = readonly [what: 'speak' | 'type' | 'say' | 'inject' | 'press' | 'lose' | 'restore', waitMs: number]

function perform(scenario: VoiceScenario, [type, waitMs]: Action): void {
  if (type === 'speak') scenario.speakAsCaller(200 + (waitMs % 1_500))
  if (type === 'type') scenario.caller.sendText(`Typed after ${waitMs}.`)
  if (type === 'say') scenario.session.say('The taxi is there.', waitMs % 2 === 0)
  if (type === 'inject') scenario.session.inject('It rains.', waitMs % 2 === 0)
  if (type === 'press') scenario.caller.sendDtmf('5')
  if (type === 'lose') scenario.setInterrupted(true)
  if (type === 'restore') scenario.setInterrupted(false)
}

const act = fc.tuple(
  fc.constantFrom<Action[0]>('speak', 'speak', 'speak', 'type', 'say', 'inject', 'press', 'lose', 'restore', 'restore'),
  fc.integer({ min: 0, max: 3_000 }),
)
const speech: fc.Arbitrary<ScriptedSpeech> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ delayMs: fc.integer({ min: 0, max: 600 }), withWords: fc.boolean() }) },
  fc.record({ failsAfterWords: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ stallsAfterWords: fc.integer({ min: 0, max: 4 }) }),
)
const utterance: fc.Arbitrary<ScriptedUtterance> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ text: fc.constantFrom(...TEXTS), finalAfterMs: fc.integer({ min: 100, max: 580 }) }),
  },
  fc.constant({ text: '', stalls: true }),
  fc.record({ text: fc.constant(''), failsAfterMs: fc.integer({ min: 100, max: 600 }) }),
)

test('records any call as it was heard and leaves nothing behind', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 12 }),
      fc.array(speech, { maxLength: 6 }),
      fc.array(utterance, { maxLength: 4 }),
      async (acts, script, utterances) => {
        const time = createManualClock()
        const spareUtterances = Array.from({ length: 20 }, () => ({ text: 'Hello?' }))
        const scriptedTranscribers = [utterances, spareUtterances].map((transcriberScript, index) =>
          createScriptedTranscriber(transcriberScript, { name: `scripted/transcriber-${index}` }),
        )
        const respondSlowly = () =>
          new Promise<ReturnType<typeof createHttpOutcome>>((resolve) => {
            time.clock.after(700, () => resolve(createHttpOutcome({})))
          })
        const scenario = await startVoiceScenario({
          time,
          opening: { type: 'generate' },
          models: { main: createTalkativeModel() },
          http: createScriptedHttpTools({ look_up: Array.from({ length: 30 }, () => respondSlowly) }),
          engine: { tools: [TOOL] },
          transcribers: scriptedTranscribers.map(({ transcriber }) => transcriber),
          voices: [{ script }, {}],
        })
        for (const step of acts) {
          perform(scenario, step)
          await scenario.run(step[1])
        }
        scenario.caller.hangUp()
        await time.advance(2_000)
        expect(scenario.listEntries('warning').map(({ code }) => code)).not.toContain('internal-error')
        expect(scenario.getOutcome()).not.toBeNull()
        const heardText = scenario.listHeardWords().join(' ')
        for (const { content, generatedContent, words } of scenario.listEntries('agent-message')) {
          expect(generatedContent.startsWith(content)).toBe(true)
          // A seam may repeat a word, so check single words.
          for (const word of content.split(' ')) expect(heardText).toContain(word)
          expect(words.length).toBeGreaterThan(0)
        }
        expect(scriptedTranscribers.reduce((sum, scripted) => sum + scripted.countOpenSessions(), 0)).toBe(0)
        scenario.assertNoLeaks()
      },
    ),
    { numRuns: 60 },
  )
})
