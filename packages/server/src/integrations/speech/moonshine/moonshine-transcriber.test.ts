import { expect, test } from 'vitest'
import { createTestClock } from '../../models/model-test-kit.ts'
import { failOnError } from '../speech-test-kit.ts'
import { createMoonshineTranscriber } from './moonshine-transcriber.ts'

test('supports English only', () => {
  const moonshine = createMoonshineTranscriber({ clock: createTestClock(), logError: failOnError })
  expect(['en', 'en-GB', 'EN-us', 'de-DE', 'multi', 'eng'].map((tag) => moonshine.supports(tag))).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ])
})
