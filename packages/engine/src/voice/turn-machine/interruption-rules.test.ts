import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  classifyInterruption,
  getMaxOverlapMs,
  getResumeAtMs,
  type InterruptionKind,
  updateDelay,
  updateFirstTextDelay,
} from './interruption-rules.ts'
import { getWordList } from './words/languages.ts'

test.each<[string, string, boolean, InterruptionKind]>([
  ['en', 'Mhm.', false, 'backchannel'],
  ['en', 'uh-huh', false, 'backchannel'],
  ['en', 'okay, I see', false, 'backchannel'],
  ['en', 'yeah yeah yeah', false, 'backchannel'],
  ['en', 'okay okay okay okay', false, 'interruption'],
  ['en', 'Oh, really?', false, 'backchannel'],
  ['en', 'thanks, perfect', false, 'backchannel'],
  ['en', 'no problem', false, 'backchannel'],
  ['en', 'actually yes', false, 'backchannel'],
  ['en', 'I', false, 'interruption'],
  ['en', 'yes', true, 'answer'],
  ['en', 'okay but', false, 'interruption'],
  ['en', 'Wait a minute', false, 'command'],
  ['en', 'no, that is wrong', false, 'command'],
  ['en', 'Ada, listen', false, 'command'],
  ['en', 'the other one', true, 'interruption'],
  ['de', 'ja genau', false, 'backchannel'],
  ['de', 'Moment mal', false, 'command'],
  ['de', 'ach so', false, 'backchannel'],
  ['fr', "d'accord", false, 'backchannel'],
  ['fr', 'attendez', false, 'command'],
  ['es', 'sí claro', false, 'backchannel'],
  ['es', 'un momento', false, 'command'],
  ['it', 'va bene', false, 'backchannel'],
  ['pt', 'está bem', false, 'backchannel'],
  ['nl', 'ja hoor wacht', false, 'interruption'],
  ['nl', 'wacht even', false, 'command'],
  ['ja', 'mhm', false, 'backchannel'],
  ['ja', 'ちょっと', false, 'interruption'],
])('%s: classifies "%s" (after a question: %s) as %s', (language, text, isAfterQuestion, verdict) => {
  expect(
    classifyInterruption({ text, isInterim: false, agentName: 'Ada', isAfterQuestion }, getWordList(language)),
  ).toBe(verdict)
})

test.each<[string, InterruptionKind]>([
  ['I', 'undecided'],
  ['got', 'undecided'],
  ['abso', 'undecided'],
  ['yeah I', 'undecided'],
  ['no', 'undecided'],
  ['I want', 'interruption'],
  ['got a question', 'interruption'],
  ['no I', 'command'],
  ['wait', 'command'],
  ['okay', 'backchannel'],
])('classifies the interim words "%s" as %s', (text, kind) => {
  const speech = { text, isInterim: true, agentName: 'Ada', isAfterQuestion: false }
  expect(classifyInterruption(speech, getWordList('en'))).toBe(kind)
})

test('decides nothing for any beginning of a backchannel', () => {
  for (const language of ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl']) {
    const wordList = getWordList(language)
    const beginning = fc
      .constantFrom(...wordList.backchannels)
      .chain((phrase) => fc.integer({ min: 1, max: phrase.length }).map((length) => phrase.slice(0, length)))
    fc.assert(
      fc.property(beginning, (text) => {
        const kind = classifyInterruption(
          { text, isInterim: true, agentName: 'Zoltan', isAfterQuestion: false },
          wordList,
        )
        expect(['undecided', 'backchannel']).toContain(kind)
      }),
      { numRuns: 50 },
    )
  }
})

test('stops for speech without words after the set time, later for backchannels and slow first words', () => {
  const speech = { interruptionAfterMs: 700, firstTextDelayMs: null, isBackchannel: false }
  expect(getMaxOverlapMs(speech)).toBe(700)
  expect(getMaxOverlapMs({ ...speech, firstTextDelayMs: 300 })).toBe(700)
  expect(getMaxOverlapMs({ ...speech, firstTextDelayMs: 900 })).toBe(1_000)
  expect(getMaxOverlapMs({ ...speech, isBackchannel: true })).toBe(1_500)
})

test('resumes immediately after a cough, and after longer speech once the text is late', () => {
  const speech = { startedAtMs: 1_000, finalDelayMs: 400 }
  expect(getResumeAtMs({ ...speech, lastVoiceAtMs: 1_299 })).toBe(1_299)
  expect(getResumeAtMs({ ...speech, lastVoiceAtMs: 1_300 })).toBe(1_800)
  expect(getResumeAtMs({ ...speech, lastVoiceAtMs: 1_300, finalDelayMs: 9_000 })).toBe(3_800)
})

test("averages a transcriber's delay of first words without the ones after noise", () => {
  expect(updateFirstTextDelay(null, 600)).toBe(600)
  expect(updateFirstTextDelay(600, 1_000)).toBe(680)
  expect(updateFirstTextDelay(600, 1_101)).toBe(600)
  expect(updateFirstTextDelay(null, 2_000)).toBeNull()
})

test("remembers a transcriber's slow responses", () => {
  expect(updateDelay(null, 300)).toBe(300)
  expect(updateDelay(300, 900)).toBe(900)
  expect(updateDelay(900, 300)).toBe(780)
})
