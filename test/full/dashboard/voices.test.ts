import type { Voice } from '@parley/contract/voice'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import { findPageProblems } from '../../../testing/browser/page-problems.ts'
import { insertRows, withDatabase } from '../../../testing/server-database.ts'
import { synthesizeTones } from '../../../testing/speech-server/speech-server.ts'
import { writeWav } from '../../../testing/speech-server/wav-audio.ts'
import { startToolServer } from '../../../testing/tool-server/tool-server.ts'

const VOICE_ID = 'voice_00000000000000000000000001'
const NORA = {
  ...{ voice_id: VOICE_ID, provider: 'elevenlabs', provider_voice_id: 'nora', account_voice_id: 'nora' },
  ...{ public_user_id: null, name: 'Nora', gender: 'female', language: 'en', accent: null, description: 'Calm.' },
  ...{ preview_url: null, tags: '[]', created_at: 1, updated_at: 1 },
}

describe.skipIf(findChromium() === null)('an added voice', () => {
  test('gets another name and a sample, which the page then plays', async ({ scene }) => {
    await using samples = await startToolServer()
    const body = writeWav({ samples: synthesizeTones('one two three four', 16_000), rateHz: 16_000 })
    samples.script({ kind: 'raw', status: 200, body, contentType: 'audio/wav' })
    const { server } = scene
    const { workspaceId } = server
    await withDatabase(server, (database) => insertRows(database, 'voices', [{ ...NORA, workspace_id: workspaceId }]))
    const { page, pageViolations } = await scene.open('voices')
    await page.getByRole('button', { name: 'Edit Nora' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit voice' })
    await dialog.getByLabel('Name').fill('Front desk')
    await dialog.getByLabel('Preview URL').fill(`${samples.url}/front-desk.wav`)
    expect(await findPageProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Voice saved').waitFor()
    const read = () =>
      server.call<Voice>('GET', `/api/voices/${VOICE_ID}`, { query: { workspaceId } }).then((answer) => answer.body)
    await expectEventually(read).toMatchObject({
      name: 'Front desk',
      playbackOverrideUrl: `${samples.url}/front-desk.wav`,
    })
    await page.getByRole('button', { name: 'Play Front desk' }).click()
    await page.getByRole('button', { name: 'Stop Front desk' }).waitFor()
    await page.getByRole('button', { name: 'Play Front desk' }).waitFor()
    expect(samples.requests).toHaveLength(1)
    expectNoViolations(pageViolations)
  })
})
