import { readFile } from 'node:fs/promises'
import type { Agent } from '@parley/contract/agent'
import type { TestCase } from '@parley/contract/test-case'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import { readPageRecording } from '../../../testing/browser/page-recording.ts'
import { joinCall } from '../../../testing/call-client.ts'
import { getDurationMs, locateAudio, sliceRecording } from '../../../testing/locate-audio.ts'
import { startNetworkProxy } from '../../../testing/network-proxy.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import { type SeededCall, seedCalls } from '../../../testing/seed-calls.ts'
import { SEEDED_RECORDING, seedRecording } from '../../../testing/seed-recording.ts'
import { insertRows, withDatabase } from '../../../testing/server-database.ts'
import { createAgent, expectBody, read, send } from '../../../testing/server-test.ts'
import { findBarriers } from './scene-findings.ts'
import { heardByCaller, microphoneQuestions, openTaped, startLiveCall } from './scene-listening.ts'

const OFFLINE = { model: 'offline', general_prompt: 'You answer for a bicycle workshop.' }
const HOSTILE = '<script>window.hacked = true</script><img src=x onerror="window.hacked = true">'
const callIdOf = ({ workspaceId }: ServerClient, index: number): string =>
  `call_${workspaceId}${String(index).padStart(26 - String(workspaceId).length, '0')}`

const seed = (server: ServerClient, calls: readonly SeededCall[]): Promise<void> =>
  withDatabase(server, (database) =>
    seedCalls(
      database,
      calls.map((call) => ({ ...call, workspace_id: server.workspaceId })),
    ),
  )

const TURN_LATENCY = {
  ...{ totalMs: 1_250, endOfTurnMs: 300, recogniserMs: 60, retrievalMs: null, modelFirstTokenMs: 210 },
  ...{ firstClauseMs: 50, synthesisFirstAudioMs: 120, playoutMs: 20 },
}

/** Creates an ended call with a one-second recording and a hostile transcript. Returns its id. */
async function seedHostileCall(server: ServerClient): Promise<string> {
  const callId = callIdOf(server, 1)
  const said = (position: number, type: string, startMs: number, content: string) => ({
    ...{ call_id: callId, position, at_ms: startMs, created_at: 0, type },
    content: JSON.stringify({
      ...{ turnId: 'turn_1', content, generatedContent: content, interrupted: false, kind: 'reply', source: 'speech' },
      ...{ startMs, endMs: startMs + 100, words: [] },
    }),
  })
  const tool = { turnId: 'turn_1', toolCallId: 'tool_1', name: 'look_up' }
  const event = (position: number, type: string, content: object) => ({
    ...{ call_id: callId, position, at_ms: 300, created_at: 0, type, content: JSON.stringify(content) },
  })
  await seedRecording(server, callId)
  await seed(server, [
    {
      call_id: callId,
      agent_name: 'Front desk',
      customer_name: HOSTILE,
      recording: SEEDED_RECORDING,
      metadata: JSON.stringify({ note: HOSTILE }),
      summary: HOSTILE,
      sentiment: 'Negative',
    },
  ])
  await withDatabase(server, (database) =>
    insertRows(database, 'call_events', [
      said(0, 'agent-message', 0, 'Good morning.'),
      said(1, 'user-message', 200, HOSTILE),
      event(2, 'tool-call', { ...tool, arguments: JSON.stringify({ html: HOSTILE }) }),
      event(3, 'tool-result', { ...tool, content: HOSTILE, successful: true, durationMs: 12 }),
      event(5, 'turn', { turnId: 'turn_1', latency: TURN_LATENCY, decisions: [] }),
      said(4, 'agent-message', 600, 'مرحبا، كيف يمكنني مساعدتك؟'),
    ]),
  )
  return callId
}

/** Returns the LLM configuration of an agent, as test cases reference it. */
const engineOf = ({ response_engine: engine }: Agent) => ({ llm_id: 'llm_id' in engine ? engine.llm_id : null })

/** Returns the playback position and length. */
const soundOf = (page: Page): Promise<{ readonly atS: number; readonly lengthS: number }> =>
  page.locator('audio').evaluate((audio: { currentTime: number; duration: number }) => ({
    atS: audio.currentTime,
    lengthS: audio.duration || 0,
  }))

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Call history' }).locator('tr[data-index]')

describe.skipIf(findChromium() === null)('calls', () => {
  test('10,000 calls are paged and filtered', async ({ scene }) => {
    await seed(
      scene.server,
      Array.from({ length: 10_000 }, (_item, index) => ({
        call_id: callIdOf(scene.server, index),
        created_at: index * 60_000,
        started_at: index * 60_000,
        from_number: `+1555${String(index).padStart(7, '0')}`,
        status: index % 100 === 0 ? 'error' : 'ended',
        duration_ms: index === 9_990 ? 3_600_000 : 60_000 - index,
      })),
    )
    const { page, pageViolations } = await scene.open('calls')

    await page.getByText('1–100 of 10,000').waitFor()
    await expectEventually(() => rowsOf(page).first().textContent()).toContain('+15550009999')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('101–200 of 10,000').waitFor()
    await expectEventually(() => rowsOf(page).first().textContent()).toContain('+15550009899')
    expect(page.url()).toContain('page=2')
    // Only visible rows are rendered.
    expect(await rowsOf(page).count()).toBeLessThan(60)

    await page.getByRole('button', { name: 'Duration' }).click()
    await expectEventually(() => rowsOf(page).first().textContent()).toContain('1:00:00')
    await page.getByText('1–100 of 5,000 · Only the newest calls are sorted.').waitFor()
    await page.getByRole('button', { name: 'Duration' }).click()
    await expectEventually(() => rowsOf(page).first().textContent()).toContain('+15550009999')
    expect(page.url()).toContain('sort=duration')
    await page.getByRole('button', { name: 'Duration' }).click()
    await page.getByText('1–100 of 10,000').waitFor()

    await page.getByLabel('Status').selectOption('error')
    await page.getByText('1–100 of 100').waitFor()
    await expectEventually(() => rowsOf(page).first().textContent()).toContain('Failed')
    await page.getByRole('searchbox').fill('5550000300')
    await page.getByText('1–1 of 1', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('1–1 of 1', { exact: true }).waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('5550000300')

    await page.getByRole('searchbox').fill('nobody has this')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await page.getByText('1–100 of 10,000').waitFor()
    expectNoViolations(pageViolations)
  })

  test('the export of the listed calls is complete and contains no formulas', async ({ scene }) => {
    await seed(
      scene.server,
      Array.from({ length: 150 }, (_item, index) => ({
        call_id: callIdOf(scene.server, index),
        created_at: index,
        customer_name: index === 149 ? '=HYPERLINK("https://a.example")' : 'Ada, "the first"',
        status: index === 0 ? 'error' : 'ended',
      })),
    )
    const { page, pageViolations } = await scene.open('calls?status=ended')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const file = await readFile(await (await downloading).path(), 'utf8')
    const lines = file.trim().split('\r\n')
    expect(lines).toHaveLength(150)
    expect(lines[0]).toContain('Call ID')
    expect(lines[1]).toContain(`"'=HYPERLINK(""https://a.example"")"`)
    expect(lines[2]).toContain('"Ada, ""the first"""')
    await page.getByText('149 rows exported').waitFor()
    expectNoViolations(pageViolations)
  })

  test('selected calls are archived and deleted; refused ones are reported and stay selected', async ({ scene }) => {
    const { server } = scene
    await seed(
      server,
      [0, 1, 2, 3].map((index) => ({
        call_id: callIdOf(scene.server, index),
        created_at: index,
        customer_name: `Customer ${index}`,
        latency: JSON.stringify({ e2e: { p50: 780, p90: 1, p95: 1, p99: 1, min: 1, max: 1, num: 2 } }),
        successful: index === 0 ? 0 : 1,
        // A call that nobody has joined yet cannot be deleted.
        ...(index === 3 && { status: 'registered', started_at: null, ended_at: null }),
      })),
    )
    const { page, pageViolations } = await scene.open('calls')
    await rowsOf(page).filter({ hasText: 'Unsuccessful' }).filter({ hasText: '780 ms' }).waitFor()
    await page.getByRole('checkbox', { name: /^Select .*Customer 0/ }).check()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('Calls archived').waitFor()
    await expectEventually(() => rowsOf(page).count()).toBe(3)

    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check()
    const bar = page.getByRole('region', { name: 'Selected rows' })
    await bar.getByText('3 selected').waitFor()
    await bar.getByRole('button', { name: 'Delete…' }).click()
    const confirm = page.getByRole('dialog', { name: 'Delete selected calls?' })
    expect(await confirm.getByRole('button', { name: 'Delete…' }).isDisabled()).toBe(true)
    await confirm.getByLabel('Type 3 to confirm').fill('3')
    await confirm.getByRole('button', { name: 'Delete…' }).click()
    const report = page.getByRole('dialog', { name: '1 row failed' })
    await report.getByText('Customer 3').waitFor()
    await report.getByRole('button', { name: 'Close' }).last().click()
    await bar.getByText('1 selected').waitFor()
    expect(await rowsOf(page).count()).toBe(1)
    expect((await server.call('GET', `/api/v1/calls/${callIdOf(server, 0)}`)).status).toBe(200)
    expect((await server.call('GET', `/api/v1/calls/${callIdOf(server, 1)}`)).status).toBe(404)
    expectNoViolations(pageViolations, 422)
  })

  test('a call plays its recording from a chosen message, and its transcript is never markup', async ({ scene }) => {
    const callId = await seedHostileCall(scene.server)
    const { page, pageViolations } = await scene.open(`calls/${callId}`)
    await page.getByRole('heading', { name: 'Call with Front desk', level: 1 }).waitFor()

    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByRole('paragraph').filter({ hasText: HOSTILE }).waitFor()
    await transcript.getByText('look_up').click()
    await transcript.getByRole('group', { name: 'Result' }).getByText(HOSTILE).waitFor()
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

    await expectEventually(async () => (await soundOf(page)).lengthS).toBeGreaterThan(0.9)
    await transcript.getByRole('button', { name: 'Play from 0:00' }).last().click()
    await expectEventually(async () => (await soundOf(page)).atS).toBeGreaterThan(0.6)
    // The turn has the time of its first message, as in the transcript.
    await page.getByText('1 turn', { exact: true }).click()
    await page.getByRole('group', { name: 'Latency by turn' }).getByText('1,250 ms').waitFor()
    await page.locator('audio').evaluate((audio: { pause(): void; currentTime: number }) => audio.pause())
    await page.getByRole('button', { name: 'Go to 0:00' }).click()
    await expectEventually(async () => (await soundOf(page)).atS).toBeLessThan(0.6)
    await page.getByLabel('Channels').selectOption('caller')
    await expectEventually(async () => (await soundOf(page)).lengthS).toBeGreaterThan(0.9)
    expectNoViolations(pageViolations)
  })

  test('metadata is stored, or refused at its field; a call is archived, its recording and the call are deleted', async ({
    scene,
  }) => {
    const { server } = scene
    const callId = await seedHostileCall(server)
    const { page, pageViolations } = await scene.open(`calls/${callId}`)
    const read = async () =>
      (await server.call<{ call: Record<string, unknown> }>('GET', `/api/v1/calls/${callId}`)).body

    await page.getByRole('button', { name: 'Edit Metadata' }).click()
    const editor = page.getByRole('textbox', { name: 'Metadata' })
    await editor.fill(JSON.stringify({ note: 'x'.repeat(60_000) }))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('[data-field=metadata]').getByText('must be at most').waitFor()
    await editor.fill('{"ticket": {"id": 17}}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Call updated').waitFor()
    expect((await read()).call.metadata).toEqual({ ticket: { id: 17 } })

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await page.getByText('Call archived').waitFor()
    expect((await read()).call.archivedAt).not.toBeNull()

    await page.getByRole('button', { name: 'Delete recording' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete recording' }).click()
    await page.getByText('The agent does not record calls').waitFor()
    expect((await read()).call.recordingUrl).toBeNull()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByLabel('Type the name to confirm').fill(callId)
    await page.getByRole('button', { name: 'Delete call' }).click()
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
    expect((await server.call('GET', `/api/v1/calls/${callId}`)).status).toBe(404)
    // Browsers log the error response for the rejected field.
    expectNoViolations(pageViolations, 400)
  })

  test('a live call can be followed, interrupted with a sentence, and ended', async ({ scene }) => {
    const { server } = scene
    const agent = await createAgent(server, {}, OFFLINE)
    const making = send<{ call: { callId: string; accessToken: string } }>(server, 'POST', '/api/v1/calls/web', {
      agentId: agent.agent_id,
    })
    const { callId, accessToken } = (await expectBody(201, making)).call
    await using caller = await joinCall(server.url, accessToken)
    const { page, pageViolations } = await scene.open('calls')
    const live = page.getByRole('list', { name: 'Live calls' })
    await live.getByRole('link').click()

    caller.type('Do you hear me?')
    await page.getByText('Do you hear me?').waitFor()
    await page.getByRole('button', { name: 'Intervene…' }).click()
    await page.getByLabel('Text', { exact: true }).fill('Please hold the line.')
    await page.getByRole('button', { name: 'Speak' }).click()
    await expectEventually(() => caller.getCaptions('agent').join(' ')).toContain('Please hold the line.')
    await page.getByRole('region', { name: 'Transcript' }).getByText('Please hold the line.').waitFor()

    await page.getByRole('button', { name: 'End call' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End call' }).click()
    expect(await caller.ended).toBe('manual_stopped')
    await page.getByText('Ended by a user or the API').waitFor()
    await page.locator('audio').waitFor()
    await page.getByText('input tokens', { exact: true }).first().waitFor()
    await page.getByRole('region', { name: 'Transcript' }).getByText('Do you hear me?').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Save as test case…' }).click()
    await page.getByRole('button', { name: 'Create test case' }).click()
    await page.getByRole('heading', { name: 'Do you hear me?', level: 1 }).waitFor()
    expect(await expectBody(200, read<TestCase[]>(server, '/api/test-case-definitions'))).toMatchObject([
      { name: 'Do you hear me?', ...engineOf(agent), user_prompt: expect.stringContaining('- Do you hear me?') },
    ])

    await page.goto('calls')
    await page.getByText('1–1 of 1').waitFor()
    expect(await live.count()).toBe(0)
    expect(page.url()).not.toContain(callId)
    expectNoViolations(pageViolations)
  })

  test('a silent listener hears a live call until the listener stops or the call ends', async ({ scene }) => {
    await using caller = await startLiveCall(scene, { ...OFFLINE, begin_message: 'Good morning.' })
    const { callId } = caller
    const { page, pageViolations } = await openTaped(scene, `calls/${callId}`)
    await page.getByRole('button', { name: 'Listen', exact: true }).click()
    const panel = page.getByRole('region', { name: 'Listen to the call' })
    await panel.getByText('Listening only. Nobody can hear you.').waitFor()
    expect(await findBarriers(page)).toEqual([])
    const viewer = await scene.open(`calls/${callId}`, { person: await scene.makeMember('viewer') })
    await viewer.page.getByRole('region', { name: 'Transcript' }).getByText('Good morning.').waitFor()
    expect(await viewer.page.getByRole('button', { name: 'Listen', exact: true }).count()).toBe(0)

    const before = heardByCaller(caller)
    const text = 'One moment, please. I am looking at the calendar of this week, and of the next one.'
    await expectBody(200, send(scene.server, 'POST', `/api/v1/calls/${callId}/control`, { say: { text } }))
    await expectEventually(() => caller.getCaptions('agent').join(' ')).toContain('and of the next one.')
    // A caption is final once the caller has heard it.
    await caller.waitForMessage('caption', (caption) => caption.final && caption.text.includes('next one'))
    const heard = heardByCaller(caller)
    const spoken = sliceRecording(heard, getDurationMs(before), getDurationMs(heard))
    expect(getDurationMs(spoken)).toBeGreaterThan(2_000)
    const partMs = getDurationMs(spoken) / 4
    /** Correlations of the four quarters with what the listener heard, best first. */
    const correlations = async (): Promise<number[]> => {
      const { agent: recorder } = await readPageRecording(page)
      const bounds = { fromMs: 0, toMs: getDurationMs(recorder) - partMs, stepMs: 20 }
      return [0, 1, 2, 3]
        .map((index) => locateAudio(sliceRecording(spoken, index * partMs, (index + 1) * partMs), recorder, bounds))
        .map(({ correlation }) => correlation)
        .sort((a, b) => b - a)
    }
    // On a busy machine, one quarter can have a gap. The quarters of reversed audio score up to 0.82.
    await expectEventually(async () => (await correlations())[2]).toBeGreaterThan(0.9)

    // The call continues.
    caller.type('Do you hear me?')
    await expectEventually(() => caller.getCaptions('user').join(' ')).toContain('Do you hear me?')
    expect(await microphoneQuestions(page)).toBe(0)
    await panel.getByRole('button', { name: 'Stop listening' }).click()
    await page.getByRole('button', { name: 'Listen', exact: true }).click()
    await panel.getByText('Listening only. Nobody can hear you.').waitFor()
    await caller.leave()
    await panel.getByText('The call has ended.').waitFor()
    await panel.getByRole('button', { name: 'Close' }).click()
    expect(await panel.count()).toBe(0)
    expectNoViolations(pageViolations)
  })

  test('a live view reports a lost connection and is complete after it reconnects', async ({ scene }) => {
    await using network = await startNetworkProxy(scene.server.url)
    await using caller = await startLiveCall(scene, { ...OFFLINE, begin_message: 'Good morning.' })
    const { page } = await openTaped(scene, `calls/${caller.callId}`, network.url)
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('Good morning.').waitFor()
    await page.getByRole('button', { name: 'Listen', exact: true }).click()
    const panel = page.getByRole('region', { name: 'Listen to the call' })
    await panel.getByText('Listening only. Nobody can hear you.').waitFor()

    network.disconnect()
    await page.getByText('Live view interrupted. Reconnecting…').waitFor()
    await panel.getByText('Reconnecting…').waitFor()
    caller.type('Are you still there?')
    await expectEventually(() => caller.getCaptions('user').join(' ')).toContain('Are you still there?')
    network.restore()
    await transcript.getByText('Are you still there?').waitFor()
    await panel.getByText('Listening only. Nobody can hear you.').waitFor()
    await expectEventually(() => page.getByText('Live view interrupted. Reconnecting…').count()).toBe(0)
    expect(await transcript.getByText('Good morning.').count()).toBe(1)
  })

  test('a viewer can only read a call', async ({ scene }) => {
    const callId = await seedHostileCall(scene.server)
    const person = await scene.makeMember('viewer')
    const { page, pageViolations } = await scene.open(`calls/${callId}`, { person })
    await page.getByRole('region', { name: 'Transcript' }).getByText('Good morning.').waitFor()
    await page.getByRole('link', { name: 'Download' }).waitFor()
    for (const name of [/^End/, /Delete/, 'More actions', /^Edit/, /Analy/, 'Intervene…', /Save as/]) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    expectNoViolations(pageViolations)
  })
})
