import { expect, test } from 'vitest'
import { setUpDeepgram } from './deepgram-test-kit.ts'
import { createDeepgramTranscriber } from './deepgram-transcriber.ts'

test.each(['nova-3', 'flux-general-en'])('%s has its name and its delay', async (model) => {
  await using setup = await setUpDeepgram()
  const transcriber = createDeepgramTranscriber({ ...setup.target, model })
  expect(transcriber).toMatchObject({ name: `deepgram/${model}`, finalP99Ms: 350, punctuatesFragments: true })
})
