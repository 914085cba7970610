import { writeFileSync } from 'node:fs'
import { test } from 'vitest'
import type { Agent } from '@parley/contract/agent'
import { openSpeakingPage, SPEAKING_BROWSERS } from '../../testing/browser/speaking-browser.ts'
import { runServer } from '../../testing/running-server.ts'
import { expectBody, read, send } from '../../testing/server-test.ts'
import { readEvents, readRecording, synthesizeWithWordTimes } from '../full/web-call-scene.ts'
import { writeWav } from '../../testing/speech-server/wav-audio.ts'
const Q = ['What do you charge for a flat tire?','And how much is a full service?','When are you open on Saturday?','Where is your shop?','What is your phone number?']
test('probe', { timeout: 240_000 }, async () => {
  const name = process.env.B ?? 'Firefox'
  const out = process.env.OUT ?? '/tmp/probe'
  const browser = SPEAKING_BROWSERS.find((b) => b.name === name)!
  const speech = await synthesizeWithWordTimes(Q, 'rms')
  await using server = await runServer({ env: { DEMO: '1', BUILT_IN_TRANSCRIPTION: '1' } })
  const agents = await expectBody(200, read<Agent[]>(server, '/api/v1/agents'))
  const demo = agents.find(({ agent_name }) => agent_name.startsWith('Robin'))
  const { call } = await expectBody(201, send<any>(server, 'POST', '/api/v1/calls/web', { agentId: demo?.agent_id }))
  const { pathname, hash } = new URL(call.webCallUrl)
  await using caller = await openSpeakingPage(browser, server.url + pathname + hash)

  const answers = `document.querySelectorAll('#captions p[data-role="agent"][data-final="true"]').length`
  const wait = async (n: number) => { const end = Date.now() + 40000; while (Date.now() < end) { if (await caller.page.evaluate(`${answers} >= ${n} && document.getElementById('status').textContent === 'Listening'`)) return; await new Promise(r => setTimeout(r, 50)) } }
  await caller.click('#notice-actions button')
  await wait(1)
  const spokenAt: number[] = []
  for (const [i, { recording }] of speech.entries()) {
    spokenAt.push((await caller.page.evaluate('caller.blocks.at(-1).atMs')) as number)
    await caller.speak(recording)
    if (i === 1) await caller.page.screenshot({ path: `${out}.png` as `${string}.png` })
    await wait(i + 2)
  }
  const blocks = await caller.readLoudness()
  await caller.click('#end')
  const events = (await readEvents(server, call.callId)).map(({ data }) => data)
  writeFileSync(out + '.wav', await readRecording(server, call.callId))
  writeFileSync(out + '.json', JSON.stringify({ events, blocks, spokenAt, lengths: speech.map(({ recording }) => recording.samples.length) }))
  for (const [i, s] of speech.entries()) writeFileSync(`/tmp/q${i}.wav`, writeWav(s.recording))
  console.log(events.filter((e: any) => e.type === 'user-message').map((e: any) => e.content).join(' | '))
})
